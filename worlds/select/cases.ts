import type { Call, Session } from "../compile/observations.ts";
import type { Replayed } from "../compile/verify.ts";
import type { Context } from "../history/course.ts";
import type { Asked, Table } from "../history/table.ts";
import type { Case, Option } from "./estimate.ts";
import type { Fold } from "./folds.ts";
import { contextCells, programCells } from "./trust.ts";

/** What a table says of a call out of fold: without its session, or without its task where that is not known. */
export class HeldOut {
  private readonly table: Table;
  private readonly tasks: readonly string[];
  private readonly places = new Map<Call, { readonly asked: Asked; readonly session: number }>();

  private readonly sessions: readonly Session[];
  private readonly out = new Map<Fold, ReadonlySet<number>>();

  constructor(table: Table, sessions: readonly Session[]) {
    this.table = table;
    this.sessions = sessions;
    this.tasks = sessions.map(({ group }) => group);
    for (const [session, calls] of table.asked.entries())
      for (const asked of calls) this.places.set(asked.call, { asked, session });
  }

  /** What sessions heard says of a call: all others, or those that a fold learns from. */
  options(call: Call, known: boolean, fold?: Fold): Option[] {
    const place = this.places.get(call);
    if (!place) return [];
    const { asked, session } = place;
    const task = this.tasks[session];
    const out = fold && this.heldOutBy(fold);
    const but = out
      ? (other: number) => out.has(other)
      : known
        ? (other: number) => other === session
        : (other: number) => this.tasks[other] === task;
    const options: Option[] = [];
    const bare = this.table.rules.oneStart;
    for (const [context, key] of asked.keys) {
      if (!known && !bare && !isBare(context)) continue;
      const hit = this.table.hit(key, but);
      if (!hit) continue;
      const { ok } = this.table.answers[hit.answer] as { ok: boolean };
      const cells = contextCells(context, call.tool, ok, hit.support);
      options.push({ source: context, cells, right: hit.answer === asked.answer });
    }
    return options;
  }

  private heldOutBy(fold: Fold): ReadonlySet<number> {
    const known = this.out.get(fold);
    if (known) return known;
    const held = new Set([...fold.known, ...fold.unknown]);
    const out = new Set(this.sessions.flatMap((session, i) => (held.has(session) ? [i] : [])));
    this.out.set(fold, out);
    return out;
  }

  situation(call: Call): string {
    return this.places.get(call)?.asked.situation ?? "";
  }

  /** Every call as other sessions answer it, of tasks that others had too where those are asked for. */
  all(known: boolean): Case[] {
    const times = new Map<string, number>();
    for (const task of this.tasks) times.set(task, (times.get(task) ?? 0) + 1);
    return [...this.places].flatMap(([call, { asked, session }]) => {
      if (known && times.get(this.tasks[session] as string) === 1) return [];
      const options = this.options(call, known);
      return options.length > 0 ? [{ situation: asked.situation, options }] : [];
    });
  }
}

const isBare = (context: Context): boolean => context.startsWith("any");

/** A call as behaviours that were made from its session answer it. */
export function ownCase({ call, identical, served }: Replayed, heldOut: HeldOut): Case {
  const situation = heldOut.situation(call);
  if (!served) return { situation, options: [] };
  const source = served.by === "behaviour" ? "program" : served.by;
  const cells = programCells(source, call.tool, served.ok, call.args);
  return { situation, options: [{ source, cells, right: identical }] };
}

/** A held-out call as the behaviours and the table would answer it. */
export function caseOf({ call, identical, served }: Replayed, heldOut: HeldOut, known: boolean, fold: Fold): Case {
  const options = heldOut.options(call, known, fold);
  if (served) {
    const source = served.by === "behaviour" ? "program" : served.by;
    options.push({ source, cells: programCells(source, call.tool, served.ok, call.args), right: identical });
  }
  return { situation: heldOut.situation(call), options };
}
