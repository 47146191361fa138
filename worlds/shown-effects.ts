import type { Bundle, ShownEffect } from "./bundle.ts";
import { declaredEffect, effectByName } from "./compile/effects.ts";

const UNKNOWN: ShownEffect = { effect: "unknown", n: 0 };

/** Whether a tool's compiled behaviour says what of the system's state it changes. */
export function changesRows({ behaviours, tables }: Pick<Bundle, "behaviours" | "tables">, tool: string): boolean {
  const internal = new Set(tables.flatMap((table) => (table.internal ? [table.name] : [])));
  const steps = Object.hasOwn(behaviours, tool) ? behaviours[tool]?.behaviour.steps : undefined;
  return (
    steps?.some(
      (step) => (step.op === "insert" || step.op === "update" || step.op === "delete") && !internal.has(step.table),
    ) === true
  );
}

/** What is known of a tool's effect; of bundles that do not say, what is declared and what its behaviour changes. */
export function shownEffect(bundle: Bundle, tool: string): ShownEffect {
  const { effects } = bundle;
  if (effects) return Object.hasOwn(effects, tool) ? (effects[tool] ?? UNKNOWN) : UNKNOWN;
  if (changesRows(bundle, tool)) return { effect: "changes", by: "fitted", n: 0 };
  const listed = [...bundle.tools, ...(bundle.user_tools ?? [])].find(({ name }) => name === tool);
  const declared = declaredEffect(listed);
  return declared === undefined ? UNKNOWN : { effect: declared === "read" ? "none" : "changes", by: "declared", n: 0 };
}

/** Whether a tool has to be taken to change something: where nothing is known, its name decides, with care. */
export function mayChange(bundle: Bundle, tool: string): boolean {
  const { effect } = shownEffect(bundle, tool);
  if (effect !== "unknown") return effect === "changes";
  const compiled = Object.hasOwn(bundle.behaviours, tool) ? bundle.behaviours[tool]?.effect : undefined;
  return compiled === "write" || effectByName(tool) === "write";
}
