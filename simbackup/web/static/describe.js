// The form that describes a site: groups of machines, a template, and a few values; a link can hold them all.

import { choose, pickers } from "./levers.js";

const KINDS = { first: { kind: "vm", machines: "20", data: "10 TB", files: "", change: "", growth: "" } };

/** The form; `submitted` is called with what it describes, and `back` gives the focus back when it is closed. */
export class Description {
  constructor(dialog, submitted) {
    this.dialog = dialog;
    this.form = dialog.querySelector("form");
    this.list = dialog.querySelector("#groups");
    this.model = dialog.querySelector("#group");
    dialog.querySelector("#add-group").addEventListener("click", () => this.#add({}).querySelector("select").focus());
    dialog.querySelector("#describer-close").addEventListener("click", () => dialog.close());
    this.list.addEventListener("click", ({ target }) => {
      if (!target.matches(".remove")) return;
      target.closest("li").remove();
      this.#counted();
      (this.list.querySelector("select") ?? dialog.querySelector("#add-group")).focus();
    });
    this.form.addEventListener("change", ({ target }) => {
      if (target.name === "template") this.#suited();
      if (target.id === "inventory") this.list.hidden = dialog.querySelector("#add-group").hidden = target.files.length > 0;
    });
    this.form.addEventListener("submit", (event) => { event.preventDefault(); submitted(this.asked()); });
    this.#add(KINDS.first);
    this.#suited();
  }

  show() { this.dialog.showModal(); }

  /** What the form describes, as the server takes it. */
  asked() {
    const groups = [...this.list.children].map((row) => this.#values(row));
    const fields = Object.assign({}, ...[...this.form.querySelectorAll("fieldset.fields")].map((one) => this.#values(one)));
    if (this.form.querySelector("#line").hidden) fields.line = "";
    return { template: this.form.elements.template.value, groups, fields };
  }

  /** The table of all machines that takes the place of the groups; null without one. */
  get inventory() { return this.form.querySelector("#inventory").files[0] ?? null; }

  /** Fill the form with what was described before. */
  fill({ template, groups, fields }) {
    this.list.replaceChildren();
    for (const group of groups) this.#add(group);
    for (const radio of this.form.querySelectorAll("[name=template]")) radio.checked = radio.value === template;
    this.#suited();
    for (const [name, value] of Object.entries(fields)) {
      const field = this.form.querySelector(`.fields [name="${CSS.escape(name)}"]`);
      if (field && value) choose(field, value);
    }
  }

  #values(part) {
    return Object.fromEntries([...part.querySelectorAll("input, select")].map((field) => [field.name, field.value]));
  }

  #add(values) {
    this.list.append(this.model.content.cloneNode(true));
    const row = this.list.lastElementChild;
    for (const [name, value] of Object.entries(values)) {
      const field = row.querySelector(`[name="${CSS.escape(name)}"]`);
      if (field) field.value = value;
    }
    this.#counted();
    return row;
  }

  /** Name each row for those who do not see it, and keep the last one. */
  #counted() {
    [...this.list.children].forEach((row, i) => {
      row.querySelector(".remove").setAttribute("aria-label", `Remove row ${i + 1}`);
      row.querySelector(".remove").hidden = this.list.children.length === 1;
    });
  }

  /** Show what the chosen template has: its network, its line to another place, when its backups run, what it keeps. */
  #suited() {
    const { network, line, window, kept, parts } = this.form.querySelector("[name=template]:checked").dataset;
    const at = (name) => this.form.querySelector(`.fields [name="${name}"]`);
    at("network").value = network;
    [at("from").placeholder, at("to").placeholder] = window.split(" to ");
    const rules = JSON.parse(kept);
    for (const name of ["daily", "weekly", "monthly"]) at(name).placeholder = rules[name] ?? "0";
    if (rules.age) at("daily").placeholder = `all of ${rules.age}`;
    this.form.querySelector("#line").hidden = !line;
    if (line) at("line").value = line;
    this.form.querySelector("#parts").replaceChildren(...JSON.parse(parts).map(([address, called, sheet, title]) => {
      const label = document.createElement("label");
      const field = document.createElement("select");
      field.name = address;
      field.dataset.kind = sheet.split("/")[0];
      field.append(new Option(title, sheet));
      label.append(`${called[0].toUpperCase()}${called.slice(1)} `, field);
      return label;
    }), this.form.querySelector("#program").content.cloneNode(true));
    pickers(this.form);
  }
}

const LONGEST = 8000; // characters that programs pass on as a link

/** The question that a link holds after its `#`: what to open, and the text and horizon that were asked; or null. */
export function fromLink(hash) {
  try {
    const found = JSON.parse(decodeURIComponent(hash.replace(/^#ask=/, "")));
    const site = Array.isArray(found.described?.groups) && found.described.fields;
    return hash.startsWith("#ask=") && (site || typeof found.name === "string") ? found : null;
  } catch {
    return null;
  }
}

/** The part of a link that holds a question; nothing where it is too long for a link. */
export function asLink(question) {
  const hash = `#ask=${encodeURIComponent(JSON.stringify(question))}`;
  return hash.length > LONGEST ? "" : hash;
}
