// Steps of a trial or a trace: keys to go through them, a search as one types, copying of JSON, all open or closed.

import { tellKeys } from "./sheet.js";

const KEYS = "steps-keys-off";

/** Starts the viewer on the element that holds the search form and the list of steps. */
export function start(root) {
  const items = [...root.querySelectorAll("ol.timeline > li")];
  const bar = document.createElement("p");
  bar.className = "tools";
  bar.append(
    button("Expand all", () => openAll(items, true)),
    button("Collapse all", () => openAll(items, false)),
    keysSwitch(root),
  );
  root.querySelector("ol.timeline").before(bar);
  for (const json of root.querySelectorAll(".json")) json.prepend(copyButton(json));
  search(root, items);
  tellKeys(() => heard(root));
  addEventListener("keydown", (event) => onKey(event, root, items));
  addEventListener("hashchange", () => showNamed());
  showNamed();
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain";
  made.textContent = text;
  made.addEventListener("click", () => act(made));
  return made;
}

function openAll(items, open) {
  for (const item of items) for (const details of item.querySelectorAll("details")) details.open = open;
}

/** Single keys get in the way of some people's tools: they can be switched off, which this browser keeps. */
function keysSwitch(root) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = localStorage.getItem(KEYS) === null;
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(KEYS);
    else localStorage.setItem(KEYS, "1");
  });
  const told = keysOf(root).map(([key, what]) => `${key} ${what}`);
  label.append(box, ` Keys: ${told.join(", ")}, ? all keys`);
  return label;
}

/** The keys that lead somewhere on this page, each with what it does. */
function keysOf(root) {
  return [
    ["j", "next step"],
    ["k", "previous"],
    ...(root.querySelector("input[type=search]") ? [["/", "search"]] : []),
    ...(document.querySelector("a[rel=prev]") ? [["[", "to the one before"]] : []),
    ...(document.querySelector("a[rel=next]") ? [["]", "to the one after"]] : []),
  ];
}

/** Those that are heard now: none where they were switched off. */
function heard(root) {
  return localStorage.getItem(KEYS) === null ? keysOf(root) : [];
}

function copyButton(json) {
  const text = json.textContent.trim();
  const name = json.getAttribute("aria-label");
  const made = button("Copy", async (self) => {
    await copy(pretty(text));
    self.textContent = "Copied";
    setTimeout(() => {
      self.textContent = "Copy";
    }, 1500);
  });
  made.className = "plain copy";
  made.setAttribute("aria-label", `Copy: ${name}`);
  return made;
}

/** The clipboard is for secure pages alone; on others the text is selected and copied as a person would. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function search(root, items) {
  const input = root.querySelector("input[type=search]");
  const status = root.querySelector("[role=status]");
  if (!input) return;
  const told = status.textContent;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const item of items) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) found += 1;
    }
    status.textContent = words.length === 0 ? told : `${found} of ${items.length} steps hold “${input.value}”.`;
  });
}

function onKey(event, root, items) {
  if (event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(KEYS) !== null) return;
  if (event.target.closest?.("input, select, textarea, dialog, [contenteditable]")) return;
  const shown = items.filter((item) => !item.hidden);
  const at = shown.indexOf(document.activeElement?.closest?.("ol.timeline > li"));
  const to = { j: at + 1, k: at < 0 ? shown.length - 1 : at - 1 }[event.key];
  if (to !== undefined) go(shown[Math.min(Math.max(to, 0), shown.length - 1)]);
  else if (event.key === "/") root.querySelector("input[type=search]")?.focus();
  else if (event.key === "[") document.querySelector("a[rel=prev]")?.click();
  else if (event.key === "]") document.querySelector("a[rel=next]")?.click();
  else return;
  event.preventDefault();
}

function go(item) {
  if (!item) return;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "start" });
  if (item.id) history.replaceState(history.state, "", `#${item.id}`);
}

/** Opens the step that the address names. */
function showNamed() {
  const item = location.hash.startsWith("#step-") ? document.getElementById(location.hash.slice(1)) : null;
  const details = item?.querySelector("details");
  if (details) details.open = true;
  item?.focus({ preventScroll: true });
}
