import { requiredArguments } from "../arguments.ts";
import type { Bundle, ToolDefinition } from "../bundle.ts";
import { holed } from "./listing.ts";
import type { Call } from "./observations.ts";

type MissingArgument = NonNullable<Bundle["missing_argument"]>;

/** So many tools have to refuse in the same words: those of one tool alone may be its own. */
const ALIKE = 2;

/**
 * How a service refuses calls that lack a required argument, where all tools of which a call lacked one alone say the same,
 * flagged as an error or in words alone; undefined where nothing shows it.
 */
export function missingArgument(
  tools: readonly ToolDefinition[],
  byTool: ReadonlyMap<string, readonly Call[]>,
): MissingArgument | undefined {
  const forms = new Map<string, { readonly tools: Set<string>; readonly form: MissingArgument }>();
  for (const { name, inputSchema } of tools)
    for (const call of byTool.get(name) ?? []) {
      const [argument, ...others] = requiredArguments(inputSchema).filter((one) => !Object.hasOwn(call.args, one));
      if (argument === undefined || others.length > 0) continue;
      const form = call.ok && typeof call.value !== "string" ? undefined : formOf(call, argument);
      if (form === undefined) return undefined;
      const id = `${form.is_error}\n${form.in_words}\n${form.text}`;
      const seen = forms.get(id) ?? { tools: new Set(), form };
      forms.set(id, seen);
      seen.tools.add(name);
    }
  const [only, ...others] = forms.values();
  return only && others.length === 0 && only.tools.size >= ALIKE ? only.form : undefined;
}

/** What a refusal says with holes for the names of tool and argument; undefined where it does not say the argument. */
function formOf({ tool, parsed, value, flagged, ok }: Call, argument: string): MissingArgument | undefined {
  const said = parsed.text ?? (typeof value === "string" ? value : JSON.stringify(value));
  if (/\{(?:tool|argument)\}/.test(said)) return undefined;
  const text = holed(holed(said, tool, "{tool}"), argument, "{argument}");
  return text.includes("{argument}") ? { text, is_error: flagged, ...(ok ? { in_words: true } : {}) } : undefined;
}
