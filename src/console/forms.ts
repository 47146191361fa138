import { type ComponentChild, type ComponentChildren, h } from "preact";
import type { Visit } from "./visit.ts";

/** A form of the console, which carries the session's token; `place` is below the console's own address. */
export function postForm(
  { token }: Pick<Visit, "token">,
  place: string,
  button: string,
  children: ComponentChildren,
  options: { readonly plain?: boolean; readonly name?: string } = {},
): ComponentChild {
  return h(
    "form",
    {
      method: "post",
      action: `/console${place}`,
      ...(options.name === undefined ? {} : { "aria-label": options.name }),
    },
    hidden("token", token),
    children,
    h("button", { type: "submit", ...(options.plain ? { class: "plain" } : {}) }, button),
  );
}

/** A form that only asks for another page. */
export function getForm(place: string, button: string, children: ComponentChildren): ComponentChild {
  return h("form", { method: "get", action: `/console${place}` }, children, h("button", { class: "plain" }, button));
}

/** A value that a form carries along. */
export function hidden(name: string, value: string): ComponentChild {
  return h("input", { type: "hidden", name, value });
}

let last = 0;
const nextId = () => {
  last = (last + 1) % 1_000_000;
  return `field-${last}`;
};

/** A field of one line under its label. */
export function textField(
  name: string,
  label: string,
  options: { readonly value?: string; readonly type?: "text" | "email"; readonly required?: boolean } = {},
): ComponentChild {
  const { value = "", type = "text", required = false } = options;
  const id = nextId();
  return [h("label", { for: id }, label), h("input", { id, name, type, value, required, autoComplete: "off" })];
}

/** A field of many lines under its label. */
export function longField(name: string, label: string): ComponentChild {
  const id = nextId();
  return [
    h("label", { for: id }, label),
    h("textarea", { id, name, rows: 8, required: true, style: "width:100%;font:inherit" }),
  ];
}

/** A choice of one under its label. */
export function choice(
  name: string,
  label: string,
  options: readonly { readonly value: string; readonly text: string }[],
  chosen?: string,
): ComponentChild {
  const id = nextId();
  return [
    h("label", { for: id }, label),
    h(
      "select",
      { id, name },
      options.map(({ value, text }) => h("option", { value, selected: value === chosen }, text)),
    ),
  ];
}

/** A box to tick; it is posted as `yes`. */
export function tick(name: string, label: string, on: boolean): ComponentChild {
  return h("label", null, h("input", { type: "checkbox", name, value: "yes", checked: on }), ` ${label}`);
}

/** A part of a page with a heading of its own. */
export function block(heading: string, ...children: ComponentChildren[]): ComponentChild {
  return h("section", null, h("h2", null, heading), ...children);
}

/** What is told this once: a link or a token, whole and easy to select. */
export function toldOnce(what: string, value: string): ComponentChild {
  return h("div", { role: "status" }, h("p", null, `${what} It is shown this once.`), h("pre", { tabIndex: 0 }, value));
}
