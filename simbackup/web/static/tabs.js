// Tabs: one is selected; the arrow keys, Home and End go from one to the next.

export class Tabs {
  constructor(list, shown) {
    this.list = list;
    this.shown = shown;
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (tab) this.select(tab.id.slice(4));
    });
    list.addEventListener("keydown", (event) => {
      const tabs = this.visible();
      const at = tabs.indexOf(document.activeElement);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined || at < 0) return;
      event.preventDefault();
      const tab = tabs[(to + tabs.length) % tabs.length];
      this.select(tab.id.slice(4));
      tab.focus();
    });
  }

  visible() { return [...this.list.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden); }

  /** Offer only these tabs; if the selected one is not among them, select the first. */
  offer(names) {
    for (const tab of this.list.querySelectorAll("[role=tab]")) {
      tab.hidden = !names.includes(tab.id.slice(4));
      if (tab.hidden) this.#set(tab, false);
    }
    if (!this.visible().some((tab) => tab.getAttribute("aria-selected") === "true")) this.select(names[0]);
  }

  select(name) {
    for (const tab of this.list.querySelectorAll("[role=tab]")) this.#set(tab, tab.id === `tab-${name}`);
    this.shown(name);
  }

  #set(tab, selected) {
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !selected;
  }
}
