import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { everyValue } from "../../../chapters/dimensions/axes.ts";
import { forbidden } from "../../../chapters/errors.ts";
import type { PageLink } from "../../../chapters/findings/pages/page-doc.ts";
import { coverageMatrix, isCalled } from "../../../chapters/ontology/matrices.ts";
import { folded, hidden, postForm, textField } from "../forms.ts";
import { pathOf } from "../frame.ts";
import { type ConsoleRoute, does } from "../route.ts";
import { field, needed, type Visit } from "../visit.ts";

const PLACE = "/coverage/mark";

/** What a persona's jobs are, said from the pages of coverage: a marked job without a task is a gap. */
export const personaJobPages: readonly ConsoleRoute[] = [
  does(PLACE, async (visit) => {
    const [persona, job] = [needed(visit, "persona"), needed(visit, "job")];
    if (field(visit, "on") !== "no") return { to: pathOf(await addJob(visit, persona, job)) };
    await removeJob(visit, persona, job);
    return { to: pathOf({ page: "coverage", id: "" }) };
  }),
];

type Value = Awaited<ReturnType<typeof everyValue>>[number];

async function profile(visit: Visit, { id }: Value, names: Partial<Record<"jobs" | "personas", readonly string[]>>) {
  await visit.call("dimension_value_profile_post", { value_id: id, ...names, by: visit.member.name });
}

/** Answers the cell that was marked, by the names that its values have. */
async function addJob(visit: Visit, persona: string, job: string): Promise<PageLink> {
  const whose = await standing(visit, "persona", persona);
  const what = await standing(visit, "use_case", job);
  await profile(visit, whose, { jobs: [...(whose.jobs ?? []), what.value] });
  return { page: "cell", id: whose.value, against: what.value };
}

async function removeJob(visit: Visit, persona: string, job: string): Promise<void> {
  const values = await everyValue(visit.ctx);
  const called = (name: string, wanted: string, field: "persona" | "use_case") =>
    name === wanted || values.some((row) => row.field === field && isCalled(row, name) && isCalled(row, wanted));
  for (const row of values) {
    if (row.field === "persona" && isCalled(row, persona) && row.jobs?.some((name) => called(name, job, "use_case")))
      await profile(visit, row, { jobs: row.jobs.filter((name) => !called(name, job, "use_case")) });
    if (
      row.field === "use_case" &&
      isCalled(row, job) &&
      row.personas?.some((name) => called(name, persona, "persona"))
    )
      await profile(visit, row, { personas: row.personas.filter((name) => !called(name, persona, "persona")) });
  }
}

/** The value of an axis by this name, declared and accepted where it was not. */
async function standing(visit: Visit, axis: "persona" | "use_case", name: string): Promise<Value> {
  const find = async () => (await everyValue(visit.ctx, axis)).find((row) => isCalled(row, name));
  const known = await find();
  if (known === undefined) {
    if (visit.member.role !== "admin")
      throw forbidden(`No ${axis === "persona" ? "persona" : "job"} of this name is known here; an admin declares it.`);
    await visit.call("dimensions_post", { field: axis, values: [name], added_by: visit.member.name });
  } else if (known.status !== "accepted")
    await visit.call("dimension_value_accept", { value_id: known.id, by: visit.member.name });
  const found = known ?? (await find());
  if (found === undefined) throw new Error("a value that was declared is not there");
  return found;
}

/** Marks or unmarks one cell. */
export async function cellJobForm(visit: Visit, persona: string, job: string): Promise<ComponentChild> {
  const { cells } = await coverageMatrix(visit.ctx);
  const marked = cells.find((cell) => cell.persona === persona && cell.job === job)?.marked === true;
  // A name that no value has yet is declared on the way, which is for admins.
  if (visit.member.role === "member" && !marked) {
    const values = await everyValue(visit.ctx);
    const isKnown = (axis: string, name: string) => values.some((row) => row.field === axis && isCalled(row, name));
    if (!isKnown("persona", persona) || !isKnown("use_case", job))
      return html`<p>An admin can mark it as a job of this persona: no persona or no job of this name is declared yet.</p>`;
  }
  return postForm(
    visit,
    PLACE,
    marked ? "It is no job of this persona" : "Mark it as a job of this persona",
    [hidden("persona", persona), hidden("job", job), marked && hidden("on", "no")],
    { plain: true },
  );
}

/** Marks a job of a persona that no cell shows yet. */
export async function personaJobForm(visit: Visit): Promise<ComponentChild> {
  const values = (await everyValue(visit.ctx)).filter(({ status }) => status !== "dismissed");
  const names = (axis: string) => values.filter((row) => row.field === axis).map(({ value }) => value);
  return folded(
    "Mark a job of a persona",
    html`<p>What a persona needs from the agent. Without a certified task it is a gap, and tasks can be written for it.</p>`,
    postForm(
      visit,
      PLACE,
      "Mark it",
      [
        textField("persona", "Persona", { required: true, size: 20, offered: names("persona") }),
        textField("job", "Job", { required: true, size: 20, offered: names("use_case") }),
      ],
      { row: true },
    ),
  );
}
