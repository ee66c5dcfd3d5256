// Levers: a text and a slider over its stops say the same value; what has moved is kept until the next run.

let sheets = null; // datasheets by kind and maker, once they are here

/** Let each field for a datasheet in a part of the page choose among all of its kind; those that are there by now. */
export function pickers(part, found = sheets) {
  sheets = found;
  for (const field of sheets ? part.querySelectorAll("select[data-kind]:not(:has(optgroup))") : []) {
    const value = field.value;
    for (const [maker, titles] of Object.entries(sheets[field.dataset.kind] ?? {})) {
      const group = document.createElement("optgroup");
      group.label = maker || "Others";
      group.append(...titles.map(([name, title]) => new Option(title, name)));
      field.append(group);
    }
    const there = field.querySelector(`optgroup [value="${CSS.escape(value)}"]`);
    if (value && there) { field.querySelector("option").remove(); there.selected = true; }
  }
}

/** The levers of a form; `moved` is called when one has come to rest. */
export class Levers {
  constructor(form, moved) {
    this.form = form;
    this.moved = moved;
    this.addresses = "";
    form.addEventListener("input", (event) => this.#shown(event.target));
    form.addEventListener("change", (event) => { this.#shown(event.target); this.#noted(event.target); moved(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.changes = {};
  }

  /** Show the levers of a text; where they are the same ones, their sliders stay as they are. */
  show(html) {
    const fresh = document.createElement("form");
    fresh.innerHTML = html;
    const addresses = [...fresh.querySelectorAll(".lever")].map((one) => one.dataset.addresses).join();
    if (addresses !== this.addresses) {
      const open = [...this.form.querySelectorAll("details")].map((fold) => fold.open);
      this.form.replaceChildren(...fresh.childNodes);
      pickers(this.form);
      this.form.querySelectorAll("details").forEach((fold, i) => { fold.open = open[i] ?? false; });
      this.addresses = addresses;
      return;
    }
    const now = [...fresh.querySelectorAll(".lever")];
    [...this.form.querySelectorAll(".lever")].forEach((lever, i) => {
      if (!(lever.dataset.addresses in this.changes)) this.#put(lever, now[i].dataset.was);
    });
  }

  /** What has moved, by address; it counts as told from then on. */
  take() {
    const told = {};
    for (const [addresses, value] of Object.entries(this.changes)) {
      for (const address of JSON.parse(addresses)) told[address] = value;
    }
    this.changes = {};
    return told;
  }

  /** Forget the form, so that the next levers are made anew. */
  clear() { this.addresses = ""; this.changes = {}; }

  #put(lever, text) {
    const slide = lever.querySelector(".slide");
    const field = lever.querySelector(".value, select");
    if (field !== document.activeElement || field.value === text) field.value = text;
    if (slide) {
      const at = JSON.parse(slide.dataset.stops).indexOf(text);
      if (at >= 0) slide.value = at;
      slide.setAttribute("aria-valuetext", text);
    }
    lever.classList.toggle("moved", text !== lever.dataset.was);
  }

  #shown(target) {
    const lever = target.closest(".lever");
    if (!lever) return;
    const text = target.matches(".slide") ? JSON.parse(target.dataset.stops)[target.value] : target.value;
    if (target.matches(".slide")) {
      lever.querySelector(".value").value = text;
      target.setAttribute("aria-valuetext", text);
    }
    lever.classList.toggle("moved", text !== lever.dataset.was);
  }

  #noted(target) {
    const lever = target.closest(".lever");
    if (!lever) return;
    const field = lever.querySelector(".value, select");
    if (field.value.trim()) this.changes[lever.dataset.addresses] = field.value.trim();
    const slide = lever.querySelector(".slide");
    const at = slide ? JSON.parse(slide.dataset.stops).indexOf(field.value.trim()) : -1;
    if (at >= 0) slide.value = at;
  }
}
