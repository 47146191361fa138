import { html } from "htm/preact";
import {
  type ComponentChild,
  type ComponentChildren,
  cloneElement,
  isValidElement,
  toChildArray,
  type VNode,
} from "preact";

/** A form that was refused: where it was sent, what was written in it, and why it was not done. */
export interface Refused {
  readonly place: string;
  readonly form: URLSearchParams;
  readonly fields: readonly { readonly path: string; readonly message: string }[];
  /** Whether the page that is being made has the form already. */
  shown: boolean;
  /** How the form labels its fields, by their names. */
  readonly labels: Map<string, string>;
}

type Element = VNode<Record<string, unknown> & { children?: ComponentChildren }>;

/** Whether a form of a page is the one that was refused: several may be sent to one place, each with values of its own. */
export function isRefused({ place, form, shown }: Refused, to: string, children: ComponentChildren): boolean {
  const carried = inputsIn(children).filter(({ props }) => props.type === "hidden");
  return !shown && place === to && carried.every(({ props }) => form.get(String(props.name)) === String(props.value));
}

/** The fields of a form as they were sent, each with what was refused of it beside it. */
export function refilled(refused: Refused, children: ComponentChildren): ComponentChildren {
  const labels = new Map<unknown, string>();
  return each(children, (field) => {
    const { name, type, id } = field.props;
    // A label stands before its field.
    if (field.type === "label") {
      const parts = toChildArray(field.props.children);
      const text = parts
        .filter((part) => !isValidElement(part))
        .join("")
        .trim();
      labels.set(field.props.for, text);
      // The label of a box to tick holds it.
      for (const { props } of inputsIn(parts)) refused.labels.set(String(props.name), text);
    }
    const label = labels.get(id);
    if (typeof name === "string" && label !== undefined) refused.labels.set(name, label);
    if (typeof name !== "string" || type === "hidden" || field.type === "button") return field;
    const message = refused.fields.find(({ path }) => path.split(".")[0] === name)?.message;
    const told = message === undefined ? {} : { "aria-invalid": "true", "aria-describedby": `refused-${name}` };
    return [
      cloneElement(field, { ...told, ...written(field, refused.form.getAll(name)) }),
      message !== undefined && html`<span id="refused-${name}" class="bad" style="display:block">${message}</span>`,
    ];
  });
}

/** The attributes, or a select's options, that hold what was sent. */
function written({ type, props }: Element, values: readonly string[]): Record<string, unknown> {
  if (props.type === "checkbox" || props.type === "radio") return { checked: values.includes(String(props.value)) };
  if (type !== "select") return { value: values[0] ?? "" };
  const children = each(props.children, (option) =>
    option.type === "option" ? cloneElement(option, { selected: values.includes(String(option.props.value)) }) : option,
  );
  return { children };
}

/** Whether the form that was refused is among what a part of a page holds. */
export function holdsRefused(children: ComponentChildren): boolean {
  let found = false;
  each(children, (element) => {
    found ||= element.props.id === "refused";
    return element;
  });
  return found;
}

function inputsIn(children: ComponentChildren): Element[] {
  const found: Element[] = [];
  each(children, (element) => {
    if (element.type === "input") found.push(element);
    return element;
  });
  return found;
}

/** A tree with each of its elements in another's place, inner ones first; a select's options stay its own matter. */
function each(children: ComponentChildren, as: (element: Element) => ComponentChildren): ComponentChildren {
  return toChildArray(children).map((child): ComponentChild => {
    if (!isValidElement(child)) return child;
    const element = child as Element;
    const inner = element.props.children;
    if (inner === undefined || inner === null || element.type === "select") return as(element) as ComponentChild;
    return as(cloneElement(element, {}, each(inner, as) as ComponentChild)) as ComponentChild;
  });
}
