// Keys for what the page shows already: while nobody types, the key named in `data-key` presses that link or button.

/** Hears keys for the whole page; called once however many parts of the page name keys. */
export function start() {
  if (document.documentElement.dataset.keys !== undefined) return;
  document.documentElement.dataset.keys = "";
  for (const element of document.querySelectorAll("[data-key]")) {
    element.setAttribute("aria-keyshortcuts", element.dataset.key);
    element.title = `Key: ${element.dataset.key}`;
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]")) return;
    const key = CSS.escape(event.key.toLowerCase());
    const target = document.querySelector(`[data-key="${key}"]`);
    if (target === null) return;
    event.preventDefault();
    target.click();
  });
}
