import type { Ctx } from "../../../chapters/context.ts";
import type { PageSection } from "../../../chapters/findings/pages/page-doc.ts";
import { startedBy, versionsOf } from "../../../chapters/findings/pages/versions.ts";
import { counted, cut, minuteOf, seconds } from "../../../chapters/findings/pages/words.ts";
import { Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { findGroups } from "../../../chapters/runs/groups/find-groups.ts";
import { type GroupDoc, groupState } from "../../../chapters/runs/groups/group-data.ts";

type Fact = Extract<PageSection, { show: "facts" }>["facts"][number];

/** Sandboxes of a run that its set-up names. */
const SANDBOXES = 5;
/** Runs of an agent, the newest, among which the one before is looked for. */
const LOOKED_AT = 100;

/**
 * What a run was of: who started it and when, how long it took, what was started, on which sandboxes and tasks. It stands on the
 * org's own page alone: names of people and commands are no part of what is frozen, shared or sent.
 */
export async function setUp(ctx: Ctx, group: GroupDoc): Promise<PageSection[]> {
  const { player, by, created_at, trigger, selection, trials, timeout_seconds, chosen_by_outcome } = group;
  const [{ job, runs, status }, found, environments] = await Promise.all([
    groupState(ctx, group),
    versionsOf(ctx, [player]),
    ctx.store.records.getMany(
      Environment,
      group.runs.map(({ environment }) => environment),
    ),
  ]);
  const ended = Math.max(0, ...[job, ...runs.map((own) => own.job)].map((row) => row?.ended_at ?? 0));
  const begun = Math.min(...[job, ...runs.map((own) => own.job)].flatMap((row) => row?.started_at ?? []));
  const [version] = found?.versions ?? [];
  const revisions = new Map(environments.map(({ id, revision }) => [id, revision]));
  const facts: Fact[] = [
    {
      name: "Started (UTC)",
      value: minuteOf(created_at),
      how: `by ${cut(by, 60)}${trigger === "person" ? "" : `, ${trigger}`}`,
    },
    ...(status !== "running" && ended > 0 && Number.isFinite(begun)
      ? [{ name: "Took in all", value: seconds(1000 * Math.max(1, ended - begun)), how: `ended ${minuteOf(ended)}` }]
      : []),
    ...playerFacts(group, version),
    ...(version?.notes === undefined ? [] : [{ name: "What changed in it", value: cut(version.notes, 300) }]),
    ...runs.slice(0, SANDBOXES).map(({ run }): Fact => {
      const revision = revisions.get(run.environment);
      const seed = run.seed === undefined ? "" : `, seed ${cut(run.seed, 40)}`;
      const now = revision === undefined ? "" : `, revision ${revision} now`;
      return {
        name: "Sandbox",
        value: { text: cut(run.label, 80), link: { page: "packet", id: run.environment } },
        how: `${counted(run.tasks.length, "task")}${seed}${now}`,
      };
    }),
    {
      name: "Tasks",
      value: selection === "full" ? "all that counted" : `chosen by ${cut(selection, 120)}`,
      how: `${counted(trials, "try", "tries")} a task, ${timeout_seconds} s a trial${chosen_by_outcome === undefined ? "" : `; ${cut(chosen_by_outcome, 120)}`}`,
    },
  ];
  // What started it is as long as a path: a line of text holds it.
  const line = version && `Started by ${cut(startedBy(version), 300)}`;
  return [
    { show: "facts", heading: "Set-up", facts },
    ...(line ? [{ show: "text" as const, paragraphs: [line] }] : []),
  ];
}

function playerFacts({ player }: GroupDoc, version: Parameters<typeof startedBy>[0] | undefined): Fact[] {
  const { harness } = player;
  if (version === undefined)
    return harness === null
      ? []
      : [
          {
            name: "Played by",
            value: `built-in player ${harness}`,
            ...(player.version === null ? {} : { how: `model ${cut(player.version, 80)}` }),
          },
        ];
  const { target, origin } = version;
  const commit = origin?.sha ?? (target.kind === "repository" ? target.sha : undefined);
  return [
    ...(commit === undefined ? [] : [{ name: "Commit", value: commit.slice(0, 12), how: cut(origin?.ref ?? "", 80) }]),
    ...("model" in target && target.model !== undefined ? [{ name: "Model", value: cut(target.model, 80) }] : []),
  ];
}

/** The newest run before this one of another version of its agent, else of its version, on the same sandboxes; undefined without one. */
export async function runBefore(
  ctx: Ctx,
  group: GroupDoc,
): Promise<{ readonly id: string; readonly other: boolean } | undefined> {
  const { agent, version } = group.player;
  if (agent === null) return undefined;
  const { groups } = await findGroups(ctx, { agent, limit: LOOKED_AT });
  const on = (runs: readonly { readonly environment: string }[]) =>
    runs
      .map(({ environment }) => environment)
      .sort()
      .join(" ");
  const earlier = groups.filter(
    (row) =>
      row.group !== group.id &&
      row.created_at <= group.created_at &&
      row.group < group.id &&
      row.counts.met + row.counts.failed > 0 &&
      on(row.environments) === on(group.runs),
  );
  const other = earlier.find(({ player }) => player.version !== version);
  const found = other ?? earlier[0];
  return found && { id: found.group, other: other !== undefined };
}
