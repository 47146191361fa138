import { REGISTERS } from "../../worlds/tasks/words/revoice.ts";
import { leadsOf, type Persona } from "../../worlds/tasks/words/voices.ts";
import type { Ctx } from "../context.ts";
import { everyValue, type ValueDoc } from "./axes.ts";

/** So long may each thing be that a persona's profile has it say, characters, and so many. */
const LONGEST = 200;
const MOST = 10;

/** A persona as requests are voiced by it: what its profile has it say (a line each), else what its name has words for. */
export function personaOf({ value, profile }: Pick<ValueDoc, "value" | "profile">): Persona {
  const lines = (profile?.says ?? "").split(/\n+/).map((line) => line.trim().replace(/\s+/g, " "));
  const said = lines.filter((line) => line !== "" && line.length <= LONGEST).slice(0, MOST);
  const register = REGISTERS.find((one) => one === profile?.register);
  const says = (said.length > 0 ? said : leadsOf(value)).map((line) => (/[.!?]$/.test(line) ? line : `${line}.`));
  return { name: value, says, ...(register === undefined ? {} : { register }) };
}

/** Whether requests are worded otherwise for this persona than for anybody. */
export function isVoiced({ says, register }: Persona): boolean {
  return says.length > 0 || (register !== undefined && register !== "plain");
}

/** A persona by its name, as the org describes it where it does. */
export async function personaNamed(ctx: Ctx, name: string): Promise<Persona> {
  return personaOf((await everyValue(ctx, "persona")).find(({ value }) => value === name) ?? { value: name });
}

/** What rules say of a persona that they have no words for. */
export const UNVOICED =
  "Rules write these requests, and they know no words for this persona: the tasks carry its name, and their words are plain ones. A profile with says (what it says of itself, a line each) or with register polite, terse or chatty changes them.";

/**
 * Who asks what a selection leaves: the personas that it names, accepted or not, in its register where it names one;
 * else the voiced ones.
 */
export async function personasFor(
  ctx: Ctx,
  { persona: names, register }: Readonly<Record<string, readonly string[]>> = {},
): Promise<Persona[]> {
  if (names === undefined) return voicedPersonas(ctx);
  const known = await everyValue(ctx, "persona");
  return names.map((name) => {
    const asks = personaOf(known.find(({ value }) => value === name) ?? { value: name });
    return register === undefined ? asks : { name, says: asks.says };
  });
}

/** The accepted personas that rules have words for, by name: they ask what is written from now on. */
export async function voicedPersonas(ctx: Ctx): Promise<Persona[]> {
  const rows = (await everyValue(ctx, "persona")).filter(({ status }) => status === "accepted");
  return rows
    .map(personaOf)
    .filter(isVoiced)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
