// The sheet of keys behind `?`: it names exactly the keys that the page hears when it is opened.

const parts = [];

/** Adds a part of the page that hears keys: `heard` answers those of now, each with what it does. */
export function tellKeys(heard) {
  parts.push(heard);
  if (parts.length > 1) return;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    openSheet();
  });
}

/** Shows it; what had the focus has it again once it is closed. */
export function openSheet() {
  if (document.querySelector("dialog[open]") !== null) return;
  const heard = new Map(parts.flatMap((part) => part()));
  const sheet = document.createElement("dialog");
  sheet.setAttribute("aria-labelledby", "keys-sheet");
  const heading = document.createElement("h2");
  heading.id = "keys-sheet";
  heading.textContent = "Keys on this page";
  const list = document.createElement("dl");
  for (const [key, what] of [...heard, ["?", "this sheet"], ["Esc", "closes it"]]) {
    const term = document.createElement("dt");
    const name = document.createElement("kbd");
    name.textContent = key;
    term.append(name);
    const said = document.createElement("dd");
    said.textContent = what;
    list.append(term, said);
  }
  const close = document.createElement("button");
  close.type = "button";
  close.className = "plain";
  close.textContent = "Close";
  close.addEventListener("click", () => sheet.close());
  sheet.append(heading, list, close);
  sheet.addEventListener("close", () => sheet.remove());
  document.body.append(sheet);
  sheet.showModal();
}
