import { type Args, call, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const DAY = 86_400_000;
const count = (n: number, noun: string, plural = `${noun}s`) => `${n} ${n === 1 ? noun : plural}`;
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / DAY);
const later = (date: string, days: number) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

const PLANTS = ["Lavender", "Sweet Pea", "Rosemary", "Dwarf Apple", "Marigold", "Sea Holly", "Thyme", "Blue Fescue"];
const BEDS = ["North House", "South House", "Cold Frame", "Yard"];
const CHORES = ["water", "feed", "repot", "prune"];
const REASONS = ["sold", "discarded", "donated"];
const NOTES = ["Check for aphids.", "Reserved for the market", "Labels are missing."];

interface Batch {
  readonly id: string;
  readonly plant: string;
  readonly received: string;
  pots: number;
  bed: string;
  sellBy: string | undefined;
  updated: string;
  readonly notes: string[];
}

interface Movement {
  readonly on: string;
  readonly batch: string;
  readonly change: number;
  readonly why: string;
}

interface Chore {
  readonly number: number;
  readonly batch: Batch;
  readonly chore: string;
  due: string;
  readonly every: number | undefined;
  done: boolean;
}

/** Every session starts with the first six plants, received in winter. */
function firstBatches(): Batch[] {
  return PLANTS.slice(0, 6).map((plant, i) => ({
    id: `B-${101 + i}`,
    plant,
    received: later("2026-01-12", 9 * i),
    pots: [24, 3, 60, 8, 150, 1][i] ?? 0,
    bed: BEDS[[0, 1, 0, 3, 2, 1][i] ?? 0] ?? "",
    sellBy: [undefined, "2026-04-20", "2026-06-30", undefined, "2026-05-02", "2026-04-12"][i],
    updated: later("2026-01-12", 9 * i),
    notes: i === 2 ? ["Cut back in autumn."] : [],
  }));
}

/**
 * A plant nursery's MCP server that answers in Markdown with dates: batches of plants in beds, what came and went, and
 * chores. The day is the session's, and stands in what changes.
 */
export const nursery: InventedService = {
  name: "nursery",
  form: "mcp",
  refusals: "text",
  tools: [
    tool("list_stock", "List the batches in stock as a Markdown table.", { bed: "string? only this bed" }),
    tool("show_batch", "Show one batch with its notes and movements.", { batch: "string such as B-101" }),
    tool("receive_batch", "Book a delivery of plants.", {
      plant: "string",
      pots: "integer",
      bed: "string",
      sell_by: "string? YYYY-MM-DD",
    }),
    tool("take_out", "Book pots out of a batch.", {
      batch: "string",
      pots: "integer",
      reason: "sold|discarded|donated? sold by default",
    }),
    tool("move_batch", "Move a batch to another bed.", { batch: "string", bed: "string" }),
    tool("set_sell_by", "Set the date by which a batch has to be sold.", {
      batch: "string",
      date: "string YYYY-MM-DD",
    }),
    tool("add_note", "Add a note to a batch.", { batch: "string", note: "string" }),
    tool("due_soon", "List batches that have to be sold soon, the earliest first.", { days: "integer? 14 by default" }),
    tool("list_movements", "List what came and went, the latest first.", {
      since: "string? YYYY-MM-DD",
      batch: "string?",
    }),
    tool("plan_chore", "Plan a chore for a batch.", {
      batch: "string",
      chore: "water|feed|repot|prune",
      on: "string YYYY-MM-DD",
      every_days: "integer? repeats",
    }),
    tool("list_chores", "List open chores by date.", { until: "string? YYYY-MM-DD" }),
    tool("complete_chore", "Tick off a chore; one that repeats is planned again.", { number: "integer" }),
    tool("find_plants", "Find batches by the words of plant or notes.", { text: "string" }),
    tool("stock_summary", "Sum up the stock by bed."),
    tool("remove_batch", "Remove a batch that is empty.", { batch: "string" }),
  ],
  start(task, session) {
    const today = later("2026-04-01", session.between(0, 20));
    let minute = session.between(480, 900);
    let batches = firstBatches();
    let last = 106;
    const movements: Movement[] = batches.map(({ id, received, pots }) => ({
      on: received,
      batch: id,
      change: pots,
      why: "delivery",
    }));
    const chores: Chore[] = [];
    const plan = (batch: Batch, chore: string, due: string, every?: number): Chore => {
      const made = { number: chores.length + 1, batch, chore, due, every, done: false };
      chores.push(made);
      return made;
    };
    plan(batches[0] as Batch, "feed", "2026-04-09", 14);
    plan(batches[4] as Batch, "water", "2026-04-03", 2);
    const batchOf = (id: unknown) => {
      const found = batches.find((one) => one.id === id);
      if (!found) throw new Refusal(`❌ No batch \`${id}\`. Use list_stock to see all batches.`);
      return found;
    };
    const bedOf = (bed: unknown) => {
      if (!BEDS.includes(str(bed))) throw new Refusal(`❌ Unknown bed "${bed}". Beds: ${BEDS.join(", ")}.`);
      return str(bed);
    };
    const dateOf = (date: unknown) => {
      if (!/^\d{4}-\d\d-\d\d$/.test(str(date)) || Number.isNaN(Date.parse(str(date))))
        throw new Refusal(`❌ "${date}" is not a date. Use YYYY-MM-DD.`);
      return str(date);
    };
    const potsOf = (pots: unknown) => {
      if (!Number.isInteger(pots) || num(pots) < 1) throw new Refusal("❌ Pots must be a whole number above 0.");
      return num(pots);
    };
    const book = (batch: Batch, change: number, why: string) => {
      batch.pots += change;
      batch.updated = today;
      movements.push({ on: today, batch: batch.id, change, why });
    };
    const touch = (batch: Batch, change: Partial<Batch>) => Object.assign(batch, { ...change, updated: today });
    const signed = (n: number) => (n < 0 ? `${n}` : `+${n}`);
    const status = ({ pots, sellBy }: Batch) =>
      pots === 0
        ? "⚪ sold out"
        : sellBy !== undefined && sellBy < today
          ? "🔴 overdue"
          : pots < 5
            ? "🟡 low"
            : "🟢 ok";
    const handlers = {
      list_stock: ({ bed }: Args) => {
        const shown = batches.filter((one) => bed === undefined || one.bed === bedOf(bed));
        if (shown.length === 0) return `_Nothing in ${bed}._`;
        const rows = [...shown].sort((a, b) => (a.plant < b.plant ? -1 : 1));
        return [
          `## Stock on ${today}`,
          "",
          "| Batch | Plant | Pots | Bed | Sell by | Status |",
          "|-------|-------|-----:|-----|---------|--------|",
          ...rows.map(
            (one) => `| ${one.id} | ${one.plant} | ${one.pots} | ${one.bed} | ${one.sellBy ?? "–"} | ${status(one)} |`,
          ),
          "",
          `**${count(rows.length, "batch", "batches")}**, ${count(
            rows.reduce((sum, { pots }) => sum + pots, 0),
            "pot",
          )} in total.`,
        ].join("\n");
      },
      show_batch: ({ batch }: Args) => {
        const one = batchOf(batch);
        return [
          `## ${one.plant} (${one.id})`,
          "",
          `- **Pots:** ${one.pots}`,
          `- **Bed:** ${one.bed}`,
          `- **Received:** ${one.received}`,
          `- **Sell by:** ${one.sellBy === undefined ? "not set" : one.sellBy < today ? `${one.sellBy} (overdue by ${count(daysBetween(one.sellBy, today), "day")})` : `${one.sellBy} (in ${count(daysBetween(today, one.sellBy), "day")})`}`,
          `- **Status:** ${status(one)}`,
          ...(one.notes.length === 0 ? [] : ["", "### Notes", ...one.notes.map((note, i) => `${i + 1}. ${note}`)]),
          "",
          "### Movements",
          ...movements
            .filter((move) => move.batch === one.id)
            .map(({ on, change, why }) => `- ${on}: ${signed(change)} (${why})`),
          "",
          `_Updated on ${one.updated}_`,
        ].join("\n");
      },
      receive_batch: ({ plant, pots, bed, sell_by }: Args) => {
        const amount = potsOf(pots);
        const made: Batch = {
          id: `B-${++last}`,
          plant: str(plant),
          received: today,
          pots: 0,
          bed: bedOf(bed),
          sellBy: sell_by === undefined ? undefined : dateOf(sell_by),
          updated: today,
          notes: [],
        };
        if (made.sellBy !== undefined && made.sellBy <= today)
          throw new Refusal(`❌ Sell-by date ${made.sellBy} is not after today (${today}).`);
        batches.push(made);
        book(made, amount, "delivery");
        return `✅ Received **${count(amount, "pot")} of ${plant}** as ${made.id} in ${made.bed}${made.sellBy === undefined ? "" : `, sell by ${made.sellBy}`}.`;
      },
      take_out: ({ batch, pots, reason }: Args) => {
        const one = batchOf(batch);
        const why = str(reason, "sold");
        if (!REASONS.includes(why)) throw new Refusal(`❌ Reason must be one of ${REASONS.join(", ")}.`);
        const amount = potsOf(pots);
        if (amount > one.pots)
          throw new Refusal(`❌ Only ${count(one.pots, "pot")} of ${one.plant} left, cannot take out ${amount}.`);
        book(one, -amount, why);
        return `✅ ${count(amount, "pot")} of **${one.plant}** ${why} on ${today}. ${one.pots} left.${one.pots < 5 ? "\n\n⚠️ Low stock." : ""}`;
      },
      move_batch: ({ batch, bed }: Args) => {
        const one = batchOf(batch);
        const from = one.bed;
        if (from === bedOf(bed)) throw new Refusal(`❌ ${one.plant} is in ${from} already.`);
        touch(one, { bed: str(bed) });
        return `✅ Moved **${one.plant}** (${one.id}) from ${from} to ${one.bed}.`;
      },
      set_sell_by: ({ batch, date }: Args) => {
        const one = batchOf(batch);
        touch(one, { sellBy: dateOf(date) });
        return `✅ **${one.plant}** has to be sold by ${one.sellBy}.`;
      },
      add_note: ({ batch, note }: Args) => {
        const one = batchOf(batch);
        one.notes.push(str(note));
        touch(one, {});
        return `📝 Noted for ${one.plant}. It has ${count(one.notes.length, "note")}.`;
      },
      due_soon: ({ days }: Args) => {
        const end = later(today, num(days, 14));
        const due = batches
          .filter(({ pots, sellBy }) => pots > 0 && sellBy !== undefined && sellBy <= end)
          .sort((a, b) => (str(a.sellBy) < str(b.sellBy) ? -1 : 1));
        if (due.length === 0) return `Nothing has to be sold before ${end}. 🌱`;
        return [
          `**${count(due.length, "batch", "batches")} to sell by ${end}:**`,
          ...due.map(({ id, plant, pots, sellBy }) => `- ${sellBy} – **${plant}** (${id}), ${count(pots, "pot")}`),
        ].join("\n");
      },
      list_movements: ({ since, batch }: Args) => {
        const from = since === undefined ? undefined : dateOf(since);
        const own = batch === undefined ? undefined : batchOf(batch).id;
        const shown = movements
          .filter((one) => (from === undefined || one.on >= from) && (own === undefined || one.batch === own))
          .reverse();
        if (shown.length === 0) return `No movements${from === undefined ? "" : ` since ${from}`}.`;
        return [
          `### Movements${from === undefined ? "" : ` since ${from}`}`,
          ...shown.map(({ on, batch, change, why }) => `- ${on} \`${batch}\` ${signed(change)} ${why}`),
          "",
          `Net change: ${signed(shown.reduce((sum, { change }) => sum + change, 0))}`,
        ].join("\n");
      },
      plan_chore: ({ batch, chore, on, every_days }: Args) => {
        const one = batchOf(batch);
        if (!CHORES.includes(str(chore)))
          throw new Refusal(`❌ Unknown chore "${chore}". Chores: ${CHORES.join(", ")}.`);
        if (dateOf(on) < today) throw new Refusal(`❌ ${on} is in the past.`);
        const made = plan(one, str(chore), str(on), every_days === undefined ? undefined : num(every_days));
        return `✅ Chore #${made.number}: ${chore} **${one.plant}** on ${on}${made.every === undefined ? "" : `, then every ${count(made.every, "day")}`}.`;
      },
      list_chores: ({ until }: Args) => {
        const open = chores
          .filter(({ done, due }) => !done && (until === undefined || due <= dateOf(until)))
          .sort((a, b) => (a.due === b.due ? a.number - b.number : a.due < b.due ? -1 : 1));
        if (open.length === 0) return "🎉 No open chores.";
        return [
          `# Chores (${open.length})`,
          "",
          ...open.map(({ number, chore, batch, due }) => {
            const late = due < today ? ` ⚠️ ${count(daysBetween(due, today), "day")} late` : "";
            return `- [ ] #${number} ${chore} **${batch.plant}** – ${due}${late}`;
          }),
        ].join("\n");
      },
      complete_chore: ({ number }: Args) => {
        const one = chores.find((chore) => chore.number === number);
        if (!one) throw new Refusal(`❌ No chore #${number}.`);
        if (one.done) throw new Refusal(`❌ Chore #${number} was done already.`);
        minute += session.between(1, 9);
        const clock = `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
        if (one.every === undefined) one.done = true;
        else one.due = later(today, one.every);
        return `✅ Done: ${one.chore} **${one.batch.plant}** at ${today} ${clock}.${one.every === undefined ? "" : ` Next on ${one.due}.`}`;
      },
      find_plants: ({ text }: Args) => {
        const wanted = str(text).toLowerCase();
        const found = batches.filter(({ plant, notes }) => [plant, ...notes].join("\n").toLowerCase().includes(wanted));
        if (found.length === 0) return `No plants match "${text}".`;
        return [
          `Found ${count(found.length, "batch", "batches")}:`,
          ...found.map(
            ({ id, plant, pots, bed }, i) => `${i + 1}. **${plant}** (${id}): ${count(pots, "pot")}, ${bed}`,
          ),
        ].join("\n");
      },
      stock_summary: () =>
        [
          `# Summary for ${today}`,
          ...BEDS.map((bed) => {
            const own = batches.filter((one) => one.bed === bed);
            const pots = own.reduce((sum, one) => sum + one.pots, 0);
            return `- **${bed}:** ${own.length === 0 ? "empty" : `${count(own.length, "batch", "batches")}, ${count(pots, "pot")}`}`;
          }),
          "",
          `Open chores: ${chores.filter(({ done }) => !done).length}`,
          `Last movement: ${movements.at(-1)?.on}`,
        ].join("\n"),
      remove_batch: ({ batch }: Args) => {
        const one = batchOf(batch);
        if (one.pots > 0)
          throw new Refusal(`❌ ${one.plant} still has ${count(one.pots, "pot")}. Take them out first.`);
        batches = batches.filter((other) => other !== one);
        return `🗑️ Removed ${one.plant} (${one.id}). ${count(batches.length, "batch", "batches")} left.`;
      },
    };
    const known = task.some(["B-101", "B-102", "B-103", "B-104", "B-105", "B-106"], 2) as [string, string];
    const [one, two] = known;
    const plant = task.pick(PLANTS.slice(5));
    const bed = task.pick(BEDS);
    const pots = task.pick([1, 2, 4, 12]);
    const soon = later(today, task.between(3, 25));
    const note = task.pick(NOTES);
    const chore = task.pick(CHORES);
    const goal = task.between(0, 4);
    const madeIn = (answer: unknown, pattern: RegExp, otherwise: string) => pattern.exec(str(answer))?.[1] ?? otherwise;
    function* planned(): Plan {
      if (goal === 0) {
        const sell_by = task.pick([undefined, soon]);
        const made = yield call("receive_batch", { plant, pots: pots * 5, bed, sell_by });
        const batch = madeIn(made, /(B-\d+)/, "B-107");
        yield call("take_out", { batch, pots, reason: task.pick([undefined, ...REASONS]) });
        yield call("show_batch", { batch });
        yield call("list_stock", { bed: task.pick([undefined, bed]) });
        yield call("due_soon", { days: task.pick([undefined, 7, 30]) });
      } else if (goal === 1) {
        yield call("due_soon", { days: task.pick([undefined, 7, 30]) });
        yield call("show_batch", { batch: one });
        yield call("take_out", { batch: one, pots, reason: task.pick([undefined, "discarded"]) });
        yield call("take_out", { batch: two, pots: task.pick([3, 8]) });
        yield call("list_movements", task.pick<Args>([{ since: today }, { batch: one }, {}]));
        yield call("stock_summary");
      } else if (goal === 2) {
        yield call("list_chores", { until: task.pick([undefined, soon]) });
        const every_days = task.pick([undefined, 7]);
        const made = yield call("plan_chore", { batch: one, chore, on: soon, every_days });
        yield call("complete_chore", { number: 2 });
        yield call("list_chores");
        yield call("complete_chore", { number: num(madeIn(made, /#(\d+)/, "3")) });
        yield call("list_chores", { until: soon });
      } else if (goal === 3) {
        yield call("find_plants", { text: task.pick(["lav", "pea", "Dwarf", "market"]) });
        yield call("move_batch", { batch: one, bed });
        yield call("add_note", { batch: one, note });
        yield call("set_sell_by", { batch: one, date: soon });
        yield call("show_batch", { batch: one });
        yield call("find_plants", { text: note.slice(0, 8).toLowerCase() });
        yield call("list_stock", { bed });
      } else {
        yield call("list_stock");
        yield call("take_out", { batch: "B-106", pots: 1, reason: task.pick([undefined, "donated"]) });
        yield call("remove_batch", { batch: task.pick(["B-106", "B-102"]) });
        yield call("show_batch", { batch: "B-106" });
        yield call("receive_batch", { plant, pots, bed, sell_by: soon });
        yield call("list_stock");
        yield call("stock_summary");
      }
    }
    return {
      at: `${today}T12:00:00Z`,
      request: `It is ${today}. ${["A delivery came", "Sort out what has to go", "See to the chores", "Tidy up the records", "Clear the last pots"][goal]}: ${plant}, ${bed}, ${one} and ${two}; ${chore} by ${soon}. "${note}" ${pots}.`,
      handlers,
      plan: planned(),
      stray: (random) =>
        random.pick([
          call("list_stock", { bed: random.pick([undefined, bed, "Attic"]) }),
          call("show_batch", { batch: random.pick([one, two, "B-199"]) }),
          call("due_soon", { days: random.pick([undefined, 3, 60]) }),
          call("list_chores"),
          call("list_movements", { since: random.pick([undefined, today, "2026-02-01", "yesterday"]) }),
          call("find_plants", { text: random.pick(["e", "holly", "zinnia"]) }),
          call("stock_summary"),
          call("take_out", { batch: two, pots: random.pick([0, 2, 500]) }),
          call("plan_chore", { batch: two, chore, on: random.pick([soon, "2026-01-31"]) }),
        ]),
    };
  },
};
