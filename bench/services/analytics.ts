import { Random } from "./random.ts";
import { type Args, call, cents, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const SOURCES = ["ads", "direct", "mail", "search"];
const PAGES = ["/", "/docs", "/pricing", "/blog", "/jobs"];
const METRICS = ["visits", "visitors", "engaged", "seconds"];
const dayOf = (n: number) => `2025-0${n < 31 ? 1 : 2}-${String((n % 31) + 1).padStart(2, "0")}`;

interface Visit {
  day: string;
  visitor: string;
  source: string;
  page: string;
  seconds: number;
}

/** Every session starts with these visits. */
function firstVisits(): Visit[] {
  const random = new Random("analytics");
  return Array.from({ length: 140 }, () => ({
    day: dayOf(random.between(0, 44)),
    visitor: `v${random.between(10, 60)}`,
    source: random.pick(SOURCES),
    page: random.pick(PAGES),
    seconds: random.between(2, 300),
  }));
}

/**
 * Counts over stored visits by range of days, one first state: aggregates, groups, top lists, charts as files, goals
 * and alerts that depend on the counts.
 */
export const analytics: InventedService = {
  name: "analytics",
  form: "openai",
  refusals: "text",
  tools: [
    tool("metric", "One number over a range of days, both included; engaged visits last 60 seconds or more.", {
      name: "visits|visitors|engaged|seconds",
      start: "string? first day",
      end: "string? last day",
      source: "string?",
    }),
    tool("by_source", "Visits of each source.", { start: "string?", end: "string?" }),
    tool("daily", "Visits of each day that had any.", { start: "string", end: "string", page: "string?" }),
    tool("top_pages", "The pages most visited.", { start: "string?", end: "string?", limit: "integer? 3 by default" }),
    tool("visitor", "What is known of a visitor.", { visitor: "string" }),
    tool("record_visit", "Adds a visit.", {
      day: "string",
      visitor: "string",
      source: "string",
      page: "string",
      seconds: "integer",
    }),
    tool("forget_visitor", "Deletes all visits of a visitor.", { visitor: "string" }),
    tool("set_goal", "Sets a goal for a metric over all days.", { name: "string", at_least: "number" }),
    tool("goals", "Lists goals and whether they are met."),
    tool("make_chart", "Draws a chart to a file.", {
      name: "string",
      start: "string",
      end: "string",
      kind: "bar|line? line by default",
    }),
    tool("charts", "Lists the charts that were drawn."),
  ],
  start(task, _session) {
    let visits = firstVisits();
    const goals = new Map<string, number>();
    const charts: string[] = [];
    const isDay = (value: unknown) => {
      if (value !== undefined && !/^\d{4}-\d\d-\d\d$/.test(str(value)))
        throw new Refusal(`'${value}' is no day. Write YYYY-MM-DD.`);
    };
    const within = ({ start, end }: Args) => {
      isDay(start);
      isDay(end);
      if (start !== undefined && end !== undefined && str(end) < str(start))
        throw new Refusal("The range ends before it starts.");
      return visits.filter(({ day }) => day >= str(start, "0") && day <= str(end, "9"));
    };
    const measured = (name: unknown, over: readonly Visit[]): number => {
      if (!METRICS.includes(str(name))) throw new Refusal(`Unknown metric '${name}'. Metrics: ${METRICS.join(", ")}.`);
      if (name === "visitors") return new Set(over.map(({ visitor }) => visitor)).size;
      if (name === "engaged") return over.filter(({ seconds }) => seconds >= 60).length;
      if (name === "seconds")
        return over.length === 0 ? 0 : cents(over.reduce((sum, { seconds }) => sum + seconds, 0) / over.length);
      return over.length;
    };
    const counted = (of: readonly string[]) => {
      const counts = new Map<string, number>();
      for (const key of of) counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts;
    };
    const handlers = {
      metric: (args: Args) => ({
        metric: args.name,
        value: measured(
          args.name,
          within(args).filter((one) => args.source === undefined || one.source === args.source),
        ),
      }),
      by_source: (args: Args) => {
        const counts = counted(within(args).map(({ source }) => source));
        return Object.fromEntries(SOURCES.map((source) => [source, counts.get(source) ?? 0]));
      },
      daily: (args: Args) => {
        const counts = counted(
          within(args)
            .filter(({ page }) => args.page === undefined || page === args.page)
            .map(({ day }) => day),
        );
        return counts.size === 0
          ? "No visits in this range."
          : Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
      },
      top_pages: (args: Args) =>
        [...counted(within(args).map(({ page }) => page))]
          .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
          .slice(0, num(args.limit, 3))
          .map(([page, visits], i) => ({ rank: i + 1, page, visits })),
      visitor: ({ visitor }: Args) => {
        const own = visits.filter((one) => one.visitor === visitor).sort((a, b) => (a.day < b.day ? -1 : 1));
        if (own.length === 0) throw new Refusal(`Visitor ${visitor} was never seen.`);
        return {
          visitor,
          visits: own.length,
          first_day: own[0]?.day,
          last_day: own.at(-1)?.day,
          seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
        };
      },
      record_visit: ({ day, visitor, source, page, seconds }: Args) => {
        isDay(day);
        if (!SOURCES.includes(str(source))) throw new Refusal(`Unknown source '${source}'.`);
        visits.push({
          day: str(day),
          visitor: str(visitor),
          source: str(source),
          page: str(page),
          seconds: num(seconds),
        });
        return { recorded: true, visits: visits.length };
      },
      forget_visitor: ({ visitor }: Args) => {
        const before = visits.length;
        visits = visits.filter((one) => one.visitor !== visitor);
        return before === visits.length ? "Nothing to forget." : `${before - visits.length} visits deleted.`;
      },
      set_goal: ({ name, at_least }: Args) => {
        measured(name, []);
        goals.set(str(name), num(at_least));
        return `Goal for ${name} set to ${num(at_least)}.`;
      },
      goals: () =>
        [...goals].map(([name, at_least]) => ({
          name,
          at_least,
          now: measured(name, visits),
          met: measured(name, visits) >= at_least,
        })),
      make_chart: (args: Args) => {
        measured(args.name, within(args));
        const file = `charts/${args.name}_${args.start}_${args.end}_${str(args.kind, "line")}.png`;
        if (!charts.includes(file)) charts.push(file);
        return file;
      },
      charts: () => (charts.length === 0 ? "No charts yet." : { charts }),
    };
    const first = task.between(0, 30);
    const range = { start: dayOf(first), end: dayOf(first + task.pick([0, 2, 6, 13])) };
    const [name, second] = task.some(METRICS, 2) as [string, string];
    const source = task.pick(SOURCES);
    const page = task.pick(PAGES);
    const visitor = `v${task.between(8, 60)}`;
    const goal = task.between(0, 4);
    function* plan(): Plan {
      if (goal === 0) {
        yield call("metric", { name, ...range });
        yield call("metric", { name: second, ...range, source });
        yield call("make_chart", { name, ...range, kind: task.pick([undefined, "bar"]) });
        yield call("charts");
      } else if (goal === 1) {
        yield call("metric", { name: "visits", ...range });
        yield call("record_visit", { day: range.start, visitor, source, page, seconds: task.between(1, 12) * 20 });
        yield call("metric", { name: "visits", ...range });
        yield call("by_source", range);
        yield call("visitor", { visitor });
      } else if (goal === 2) {
        yield call("visitor", { visitor });
        yield call("forget_visitor", { visitor });
        yield call("visitor", { visitor });
        yield call("metric", { name: "visitors" });
      } else if (goal === 3) {
        yield call("set_goal", { name, at_least: task.pick([20, 70, 140, 200]) });
        yield call("goals");
        yield call("metric", { name, source });
        yield call("record_visit", { day: range.end, visitor, source, page, seconds: 200 });
        yield call("goals");
      } else {
        yield call("top_pages", { ...range, limit: task.pick([undefined, 2, 5]) });
        yield call("daily", { ...range, page: task.pick([undefined, page]) });
        yield call("by_source", { start: range.start });
        yield call("make_chart", { name: second, ...range });
      }
    }
    return {
      request: `How did we do from ${range.start} to ${range.end}, by ${name} and ${second}, for ${source} and ${page}? And see to visitor ${visitor}.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("metric", { name: random.pick([...METRICS, "bounces"]), source: random.pick([undefined, ...SOURCES]) }),
          call("metric", { name: "visits", ...range }),
          call("by_source"),
          call("daily", { start: range.start, end: random.pick([range.end, "yesterday"]) }),
          call("top_pages", { limit: random.pick([undefined, 1]) }),
          call("visitor", { visitor: `v${random.between(8, 60)}` }),
          call("goals"),
          call("charts"),
        ]),
    };
  },
};
