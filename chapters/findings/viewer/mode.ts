import type { Ctx } from "../../context.ts";
import { shownTo } from "../../modes/note-audience.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { playerName, Run } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { findMode } from "../modes/find-modes.ts";
import { storedTraces } from "../modes/mode-sessions.ts";
import { behaviourOf, NEWEST, triesOfModes } from "../modes/mode-trials.ts";
import { isGeneratable, modeView } from "../modes/mode-view.ts";
import { listed } from "../pages/listed.ts";
import type { Cell, PageDoc, PageSection } from "../pages/page-doc.ts";
import { counted, cut, inWords, minuteOf } from "../pages/words.ts";
import { taskTable } from "./cell.ts";

/** Reported sessions that are looked up among the stored traces. */
const SESSIONS = 50;
const NOTES = 50;

/** A failure mode: how it stands, its trials, traces, tasks, the versions that showed it, its notes and its history. Not found: 404. */
export async function modePage(ctx: Ctx, id: string): Promise<PageDoc> {
  const mode = await findMode(ctx, id);
  const { line } = modeView(mode);
  const [shown, behaviour] = [await showing(ctx, mode), await behaviourOf(ctx, mode)];
  const from = mode.behaviour === undefined ? ", why the trial that shows it failed" : "";
  // Before tasks are written for it, a reader should know whether anything has shown it.
  const unseen = mode.status === "retired" || shown.none === "" ? "" : ` ${shown.none}`;
  return {
    v: 1,
    title: cut(mode.title, 200),
    made_at: ctx.now(),
    verdict: {
      text: `${line}${unseen}`,
      tone: mode.status === "fixed" ? "good" : mode.status === "retired" ? "plain" : "warn",
      tier: mode.tier,
      how: `${behaviour === undefined ? "No behaviour is named" : `Behaviour: ${inWords(behaviour)}${from}`}; ${isGeneratable({ behaviour }) ? "tasks can be written for it by rule" : "no rule writes tasks for it"}.`,
    },
    sections: [...words(mode), ...shown.sections, ...versions(mode), ...(await notes(ctx, mode)), history(mode)],
  };
}

/** What shows a mode and what holds agents to it; what shows it not at all is told in a sentence, without a section. */
async function showing(ctx: Ctx, mode: ModeDoc): Promise<{ readonly none: string; readonly sections: PageSection[] }> {
  const all = [await trials(ctx, mode), await traces(ctx, mode), await tasks(ctx, mode)] as const;
  const none = ["no trial has shown it", "no trace is known to show it"].filter((_, i) => all[i] === undefined);
  const said = none.join(", and ");
  return {
    none: said === "" ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)} yet.`,
    sections: all.flatMap((section) => section ?? []),
  };
}

function words({ description, example, reported_by, ticket }: ModeDoc): PageSection[] {
  const paragraphs = [
    ...(description === undefined ? [] : [description]),
    ...(example === undefined ? [] : [`For example: ${example}`]),
    ...(reported_by === undefined ? [] : [`Reported by ${cut(reported_by, 120)}.`]),
    ...(ticket === undefined ? [] : [`Ticket: ${cut(ticket, 200)}.`]),
  ];
  return paragraphs.length === 0 ? [] : [{ show: "text", paragraphs }];
}

async function trials(ctx: Ctx, mode: ModeDoc): Promise<PageSection | undefined> {
  const [own = []] = await triesOfModes(ctx, [mode]);
  if (own.length === 0) return undefined;
  const [tasks, runs] = await Promise.all([
    ctx.store.records.getMany(TaskRecord, [...new Set(own.map(({ task }) => task))]),
    ctx.store.records.getMany(Run, [...new Set(own.map(({ run }) => run))]),
  ]);
  const requests = new Map(tasks.map(({ id, task }) => [id, task.request]));
  const players = new Map(runs.map(({ id, player }) => [id, playerName(player)]));
  return {
    show: "table",
    heading: "Trials",
    caption: `Trials that were reported to show it, and those of agents among the newest ${NEWEST} runs that failed for it.`,
    tier: "deterministic",
    columns: [{ name: "Request", kind: "wide" }, { name: "Played by" }, { name: "Try", kind: "number" }],
    ...listed(own, ({ run, task, n }): Cell[] => [
      { text: cut(requests.get(task) ?? task, 200), link: { page: "trial", id: `${run}/${task}/${n}` } },
      cut(players.get(run) ?? "not known", 60),
      n,
    ]),
  };
}

async function traces(ctx: Ctx, { cites, reported }: ModeDoc): Promise<PageSection | undefined> {
  const named = [...new Set([...cites.flatMap(({ trace, session }) => trace ?? session ?? []), ...reported])];
  const stored = await storedTraces(ctx, named.slice(0, SESSIONS));
  if (named.length === 0) return undefined;
  return {
    show: "table",
    heading: "Traces",
    caption: "Sessions that were reported with it or read to show it; those that are stored open step by step.",
    tier: "deterministic",
    columns: [{ name: "Session" }, { name: "Request", kind: "wide" }],
    ...listed(named, (id): Cell[] => {
      const row = stored.get(id);
      return row === undefined
        ? [cut(id, 80), "not stored here"]
        : [
            { text: cut(row.trace.session, 80), link: { page: "trace", id: `${row.evidence}/${row.id}` } },
            cut(row.trace.request, 200),
          ];
    }),
  };
}

async function tasks(ctx: Ctx, mode: ModeDoc): Promise<PageSection | undefined> {
  const rows = await ctx.store.records.getMany(
    TaskRecord,
    mode.tasks.map(({ task }) => task),
  );
  return rows.length === 0 ? undefined : taskTable(rows, "Tasks that hold agents to it");
}

function versions({ reproduced, fixed }: ModeDoc): PageSection[] {
  const rows = [
    ...(reproduced === undefined ? [] : [["seen in", reproduced] as const]),
    ...(fixed === undefined ? [] : [["fixed in", fixed] as const]),
  ];
  if (rows.length === 0) return [];
  return [
    {
      show: "table",
      heading: "Versions",
      caption: "Where it was seen last, and where it was gone.",
      tier: "deterministic",
      columns: [{ name: "" }, { name: "Agent" }, { name: "Version" }, { name: "At (UTC)" }, { name: "Run group" }],
      rows: rows.map(([what, { name, version, group, at }]): Cell[] => [
        what,
        cut(name, 60),
        version ?? "unknown",
        minuteOf(at),
        { text: "open", link: { page: "group", id: group } },
      ]),
    },
  ];
}

async function notes(ctx: Ctx, mode: ModeDoc): Promise<PageSection[]> {
  const rows = [];
  const audience = mode.visibility === "staff" ? "staff" : "customer";
  for await (const note of everyRow((page) =>
    ctx.store.records.list(FeedbackNote, { ...page, where: { failure_mode: mode.id } }),
  )) {
    if (note.retired_at === undefined && shownTo(note, audience)) rows.push(note);
    if (rows.length === NOTES) break;
  }
  if (rows.length === 0) return [];
  const section: PageSection = {
    show: "table",
    heading: "Notes",
    caption: `${counted(rows.length, "note")} that ${rows.length === 1 ? "reports" : "report"} it, in the words of ${rows.length === 1 ? "its author" : "their authors"}.`,
    tier: "human",
    columns: [{ name: "By" }, { name: "At (UTC)" }, { name: "What they say", kind: "wide" }, { name: "Of" }],
    ...listed(rows, ({ author, created_at, text, about }) => [
      cut(author, 60),
      minuteOf(created_at),
      cut(text, 1000),
      about?.kind === "trial" ? { text: "the trial", link: { page: "trial", id: about.id } } : "",
    ]),
  };
  return [section];
}

function history({ history: lines }: ModeDoc): PageSection {
  return {
    show: "table",
    heading: `History: ${counted(lines.length, "status", "statuses")}`,
    place: "history",
    caption: "Each status it took, oldest first.",
    tier: "deterministic",
    columns: [{ name: "Status" }, { name: "At (UTC)" }, { name: "By" }, { name: "Run group" }],
    ...listed(lines, ({ status, at, by, group }): Cell[] => [
      status,
      minuteOf(at),
      cut(by, 60),
      group === undefined ? "" : { text: "open", link: { page: "group", id: group } },
    ]),
  };
}
