import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { auditAct } from "../../audit.ts";
import { putJson } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import type { VersionDoc } from "../../find-agent.ts";
import { aid, version } from "../fields.ts";
import { changeDoc } from "../save.ts";
import { TextsView } from "../views.ts";
import { versionNamed } from "./changes.ts";

/** What `agent_version_skills` and `agent_version_tool_texts` take. */
export const TextsInput = z.object({
  ...orgRef,
  aid,
  version,
  items: z
    .array(z.object({ name: z.string().min(1).max(200), text: z.string().max(200_000) }))
    .min(1)
    .max(500),
  ...byField,
});
type TextsInput = z.output<typeof TextsInput>;

/** Which texts of a version: its skills, or what its tools are described as. */
type Which = "skills" | "tool_texts";

/** Keeps a version's skills by digest, with how they differ from those of the version before that has any. */
export async function putSkills(ctx: Ctx, input: TextsInput) {
  const { texts, ...kept } = await putTexts(ctx, "skills", input);
  return { ...kept, skills: texts };
}

/** Keeps the texts of a version's tools by digest, with how they differ from those of the version before that has any. */
export async function putToolTexts(ctx: Ctx, input: TextsInput) {
  const { texts, ...kept } = await putTexts(ctx, "tool_texts", input);
  return { ...kept, tool_texts: texts };
}

/** The same texts again answer what is kept (`same`); other texts take their place. */
async function putTexts(ctx: Ctx, which: Which, input: TextsInput) {
  const names = input.items.map(({ name }) => name);
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
  if (twice !== -1) throw badField(`items[${twice}].name`, "is named twice");
  const items = [...input.items].sort((a, b) => (a.name < b.name ? -1 : 1));
  const { agent, version } = await versionNamed(ctx, input);
  const digest = digestOf(items);
  if (version[which]?.digest === digest)
    return { agent: agent.id, version: version.version, same: true, texts: TextsView.parse(version[which]) };
  const blob = await putJson(ctx, items);
  const facts = items.map(({ name, text }) => ({ name, digest: digestOf(text), chars: text.length }));
  const made = { digest, blob, items: facts, at: ctx.now(), by: actor(ctx, input.by) };
  const kept = await changeDoc(ctx, agent.id, (doc) => ({
    doc: {
      ...doc,
      versions: doc.versions.map((row, i) =>
        row.version === version.version
          ? { ...row, [which]: { ...made, ...difference(facts, before(doc.versions.slice(0, i), which), which) } }
          : row,
      ),
    },
  }));
  await auditAct(ctx, `version_${which}`, { agent: agent.id, items: items.length }, input.by);
  const now = kept.versions.find((row) => row.version === version.version);
  return { agent: agent.id, version: version.version, same: false, texts: TextsView.parse(now?.[which]) };
}

function before(older: readonly VersionDoc[], which: Which): VersionDoc | undefined {
  return older.findLast((row) => row[which] !== undefined);
}

function difference(
  items: readonly { readonly name: string; readonly digest: string }[],
  older: VersionDoc | undefined,
  which: Which,
) {
  const was = new Map((older?.[which]?.items ?? []).map(({ name, digest }) => [name, digest]));
  const is = new Map(items.map(({ name, digest }) => [name, digest]));
  if (!older) return { added: [...is.keys()], removed: [], changed: [] };
  return {
    before: older.version,
    added: [...is.keys()].filter((name) => !was.has(name)),
    removed: [...was.keys()].filter((name) => !is.has(name)),
    changed: [...is].filter(([name, digest]) => was.has(name) && was.get(name) !== digest).map(([name]) => name),
  };
}
