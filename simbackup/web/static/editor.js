// The text of the scenario: line numbers, marks at lines with errors, and words from the schema.

const PAUSE = 500; // milliseconds without a key after which the text is checked

export class Editor {
  /** `ask` puts a question to the server; `run` runs the text; `changed` is called when it is no longer what was run. */
  constructor({ area, gutter, words, checked }, { ask, run, changed }) {
    Object.assign(this, { area, gutter, words, checked, ask, run, changed });
    this.bad = new Set();
    area.addEventListener("input", () => this.#typed());
    area.addEventListener("scroll", () => { gutter.scrollTop = area.scrollTop; });
    area.addEventListener("keydown", (event) => this.#key(event));
    area.addEventListener("blur", () => this.#close());
    words.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const word = event.target.closest("li");
      if (word) this.#take(word);
    });
    checked.addEventListener("click", (event) => this.jump(event.target));
  }

  get text() { return this.area.value; }

  /** Show a text that was run; the cursor stays where it was. */
  show(text) {
    if (text !== this.area.value) {
      const { selectionStart, scrollTop } = this.area;
      this.area.value = text;
      this.area.setSelectionRange(selectionStart, selectionStart);
      this.area.scrollTop = scrollTop;
    }
    this.mark({ lines: [], html: "" });
  }

  /** Show what is wrong: a list below the text, and a mark at each line. */
  mark({ lines, html }) {
    this.bad = new Set(lines.filter((one) => one.severity === "error").map((one) => one.line));
    this.checked.innerHTML = html;
    this.#number();
  }

  /** Go to the place that a button in a list of problems names. */
  jump(target) {
    if (!target.dataset?.line) return;
    const before = this.text.split("\n").slice(0, target.dataset.line - 1).join("\n").length;
    const at = Math.max(0, before + Number(target.dataset.column) - (target.dataset.line > 1 ? 0 : 1));
    this.area.focus();
    this.area.setSelectionRange(at, at);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (target.dataset.line - 4) * height);
  }

  #number() {
    const count = this.text.split("\n").length;
    this.gutter.replaceChildren(...Array.from({ length: count }, (_, i) => {
      const line = document.createElement("span");
      line.textContent = `${i + 1}\n`;
      if (this.bad.has(i + 1)) line.className = "bad";
      return line;
    }));
    this.gutter.scrollTop = this.area.scrollTop;
  }

  #typed() {
    this.changed();
    if (this.text.split("\n").length !== this.gutter.childElementCount) this.#number();
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const found = await this.ask("check", { text: this.text });
      if (found.kind === "problems") this.mark(found);
    }, PAUSE);
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.#offer(false), PAUSE / 3);
  }

  async #offer(asked) {
    const before = this.text.slice(0, this.area.selectionStart);
    const [line, column] = [before.split("\n").length, before.length - before.lastIndexOf("\n")];
    const found = await this.ask("complete", { text: this.text, line, column });
    if (before !== this.text.slice(0, this.area.selectionStart) || document.activeElement !== this.area) return;
    if (found.kind !== "words" || !found.words.length || (!asked && !found.typed)) { this.#close(); return; }
    this.typed = found.typed;
    this.atKey = found.value === null;
    this.words.replaceChildren(...found.words.map((word, i) => {
      const item = document.createElement("li");
      const about = document.createElement("span");
      Object.assign(item, { id: `word-${i}`, role: "option", textContent: word.text });
      item.setAttribute("role", "option");
      item.dataset.word = word.text;
      about.textContent = word.about.split("\n")[0];
      item.append(about);
      return item;
    }));
    const style = getComputedStyle(this.area);
    const height = parseFloat(style.lineHeight);
    const top = line * height - this.area.scrollTop + 12;
    this.words.hidden = false;
    const room = this.area.clientHeight - top > this.words.offsetHeight;
    this.words.style.top = `${room ? top : Math.max(0, top - height - this.words.offsetHeight)}px`;
    const most = this.area.parentElement.clientWidth - this.words.offsetWidth - 4;
    this.words.style.left = `${Math.min(this.gutter.offsetWidth + 8 * (column - this.typed.length), Math.max(most, 0))}px`;
    this.#select(asked ? 0 : null); // who only types takes no word by pressing Enter
  }

  /** Select a word, counted from the end where below 0; none for null. */
  #select(at) {
    const items = [...this.words.children];
    this.at = at === null ? -1 : (at + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", i === this.at));
    if (at === null) { this.area.removeAttribute("aria-activedescendant"); return; }
    items[this.at].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", items[this.at].id);
  }

  #take(item) {
    const at = this.area.selectionStart;
    const follows = this.atKey && !/^\s*:/.test(this.text.slice(at)) ? ": " : "";
    this.#insert(item.dataset.word + follows, at - this.typed.length, at);
    this.#close();
    this.#typed();
  }

  /** Put a text in the place of another, so that the browser can undo it. */
  #insert(text, from, to) {
    this.area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) this.area.setRangeText(text, from, to, "end");
  }

  #close() {
    this.words.hidden = true;
    this.at = -1;
    this.area.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#close(); this.run(); return; }
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); this.#offer(true); return; }
    if (!this.words.hidden) {
      const chosen = this.words.children[this.at];
      const act = {
        ArrowDown: () => this.#select(this.at + 1), ArrowUp: () => this.#select(Math.max(this.at, 0) - 1),
        Escape: () => this.#close(), Enter: chosen && (() => this.#take(chosen)), Tab: chosen && (() => this.#take(chosen)),
      }[event.key];
      if (act) { event.preventDefault(); act(); return; }
      if (event.key === "Tab") { this.#close(); return; }
    }
    if (event.key === "Enter") { // the next line begins below this one
      event.preventDefault();
      const line = this.text.slice(0, this.area.selectionStart).split("\n").pop();
      const deeper = /:\s*$/.test(line) ? "  " : "";
      this.#insert(`\n${line.match(/^ */)[0]}${deeper}`, this.area.selectionStart, this.area.selectionEnd);
      this.#typed();
    }
  }
}
