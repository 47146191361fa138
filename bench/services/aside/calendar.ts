import {
  type Args,
  call,
  cents,
  type Data,
  fieldOf,
  type InventedService,
  num,
  type Plan,
  Refusal,
  rowsOf,
  str,
  tool,
} from "../service.ts";

/** An event; its attendees are e-mail addresses with their answers. */
type Entry = Readonly<Record<"id" | "calendar", string>> & Record<"start" | "minutes", number> & Details;
type Details = { summary: string; location: string | undefined; attendees: Record<string, string> };

const ZONES: Readonly<Record<string, number>> = { "Europe/Berlin": 60, "America/New_York": -300, "Asia/Tokyo": 540 };
const ME = "mara@kite.example";
const PEOPLE = [ME, "jonas@kite.example", "aiko@kite.example", "luis@kite.example"];
const CALENDARS: Readonly<Record<string, string>> = { primary: "owner", team: "writer", holidays: "reader" };
const MINUTE = 60_000;
const berlin = (date: string) => Date.parse(`${date}Z`) - 60 * MINUTE;
const iso = (time: number, zone = "Europe/Berlin") => {
  const offset = ZONES[zone] ?? 0;
  const sign = offset < 0 ? "-" : "+";
  const hours = String(Math.abs(offset) / 60).padStart(2, "0");
  return `${new Date(time + offset * MINUTE).toISOString().slice(0, 19)}${sign}${hours}:00`;
};

/** Calendar, summary, start, minutes, who else attends, room. */
const FIRST: readonly (readonly [string, string, string, number, string, string?])[] = [
  ["team", "Stand-up", "2026-02-02T09:15:00", 15, "jonas aiko luis"],
  ["team", "Sprint planning", "2026-02-02T10:00:00", 90, "jonas aiko", "Room Elbe"],
  ["primary", "Dentist", "2026-02-03T08:30:00", 45, ""],
  ["primary", "1:1 Jonas", "2026-02-03T14:00:00", 30, "jonas"],
  ["team", "Design review", "2026-02-04T13:00:00", 60, "aiko luis", "Room Spree"],
  ["primary", "Focus time", "2026-02-05T09:00:00", 180, ""],
  ["primary", "Customer call Norwind", "2026-02-05T15:30:00", 60, "luis"],
  ["team", "Retrospective", "2026-02-06T11:00:00", 60, "jonas aiko luis", "Room Elbe"],
  ["holidays", "Winter fair", "2026-02-07T10:00:00", 480, ""],
];

/** A calendar server: events with time zones and conflicts, answers of attendees, free slots and hours spent. */
export const calendar: InventedService = {
  name: "calendar",
  form: "mcp",
  refusals: "problem",
  indent: 2,
  tools: [
    tool("list-events", "List events of a calendar within a range, in order of time.", {
      calendarId: "string",
      timeMin: "string? 2026-02-02T00:00:00",
      timeMax: "string?",
      maxResults: "integer? 5 by default",
    }),
    tool("get-event", "Get an event.", { eventId: "string" }),
    tool("create-event", "Create an event.", {
      calendarId: "string",
      summary: "string",
      start: "string",
      end: "string",
      attendees: "list?",
      location: "string?",
    }),
    tool("update-event", "Change an event.", {
      eventId: "string",
      summary: "string?",
      start: "string?",
      end: "string?",
      location: "string?",
    }),
    tool("delete-event", "Delete an event.", { eventId: "string" }),
    tool("respond-to-event", "Answer an invitation.", { eventId: "string", response: "accepted|declined|tentative" }),
    tool("find-slots", "Find free slots from 09:00 to 17:00.", { emails: "list", date: "string", minutes: "integer" }),
    tool("time-report", "Sum the hours spent in events.", { timeMin: "string", timeMax: "string" }),
    tool("convert-time", "Show a time in another zone.", { time: "string", timeZone: "string" }),
  ],
  start(task, session) {
    const entries = FIRST.map(([calendar, summary, start, minutes, names, location], i): Entry => {
      const emails = names === "" ? [] : [ME, ...names.split(" ").map((name) => `${name}@kite.example`)];
      const answer = (n: number) => (n === 0 && i === 4 ? "needsAction" : n === 3 ? "tentative" : "accepted");
      const attendees = Object.fromEntries(emails.map((email, n) => [email, answer(n)]));
      const id = `k7${(i * 7919 + 40_961).toString(32)}q${i}`;
      return { id, calendar, summary, start: berlin(start), minutes, location, attendees };
    });
    const moved = task.pick([undefined, undefined, 1, 4, 6]);
    if (moved !== undefined) (entries[moved] as Entry).start += task.pick([-60, 60, 1440]) * MINUTE;
    const timeOf = (value: unknown, name: string) => {
      const text = str(value);
      const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text);
      const time = text.includes("T") ? (zoned ? Date.parse(text) : berlin(text)) : Number.NaN;
      if (Number.isNaN(time)) throw new Refusal(`Invalid ${name}: '${value}' is not an ISO 8601 date and time`, 422);
      return time;
    };
    const rangeOf = ({ timeMin, timeMax }: Args): [number, number] => {
      const from = timeMin === undefined ? berlin("2026-02-02T00:00:00") : timeOf(timeMin, "timeMin");
      const to = timeMax === undefined ? from + 365 * 1440 * MINUTE : timeOf(timeMax, "timeMax");
      if (to <= from) throw new Refusal("The specified time range is empty.");
      return [from, to];
    };
    const calendarOf = (id: unknown, writes = false) => {
      const role = CALENDARS[str(id)];
      if (role === undefined) throw new Refusal(`Calendar '${id}' not found`, 404);
      if (writes && role === "reader") throw new Refusal(`You need to have writer access to calendar '${id}'.`, 403);
      return str(id);
    };
    const shown = ({ id, summary, start, minutes, location, attendees }: Entry): Data => ({
      id,
      status: "confirmed",
      summary,
      start: { dateTime: iso(start), timeZone: "Europe/Berlin" },
      end: { dateTime: iso(start + minutes * MINUTE), timeZone: "Europe/Berlin" },
      ...(location === undefined ? {} : { location }),
      ...(Object.keys(attendees).length > 0
        ? { attendees: Object.entries(attendees).map(([email, responseStatus]) => ({ email, responseStatus })) }
        : {}),
    });
    const eventOf = (id: unknown, writes = false) => {
      const found = entries.find((entry) => entry.id === id);
      if (!found) throw new Refusal(`Event '${id}' not found`, 404);
      calendarOf(found.calendar, writes);
      return found;
    };
    const attends = (entry: Entry, email: string) => {
      const answer = entry.attendees[email];
      return answer === undefined ? email === ME && entry.calendar === "primary" : answer !== "declined";
    };
    const endOf = ({ start, minutes }: Entry) => start + minutes * MINUTE;
    const busy = (email: string, from: number, to: number) =>
      entries
        .filter((entry) => attends(entry, email) && entry.start < to && endOf(entry) > from)
        .sort((a, b) => a.start - b.start);
    const peopleOf = (emails: unknown) => {
      const list = Array.isArray(emails) ? emails.map(String) : [str(emails)];
      const unknown = list.find((email) => !PEOPLE.includes(email));
      if (unknown !== undefined) throw new Refusal(`No calendar of ${unknown} is shared with you`, 403);
      return list;
    };
    const withConflicts = (entry: Entry): Data => {
      const found = busy(ME, entry.start, endOf(entry)).filter((other) => other !== entry);
      return { event: shown(entry), ...(found.length > 0 ? { conflicts: found.map(({ summary }) => summary) } : {}) };
    };
    const lasting = (start: number, end: number) => {
      if (end <= start) throw new Refusal("The end must be after the start.", 422);
      return (end - start) / MINUTE;
    };
    const handlers = {
      "list-events": ({ calendarId, maxResults, ...range }: Args) => {
        const [id, [from, to]] = [calendarOf(calendarId), rangeOf(range)];
        const found = entries.filter(({ calendar, start }) => calendar === id && start >= from && start < to);
        found.sort((a, b) => a.start - b.start);
        return { total: found.length, events: found.slice(0, num(maxResults, 5)).map(shown) };
      },
      "get-event": ({ eventId }: Args) => shown(eventOf(eventId)),
      "create-event": ({ calendarId, summary, start, end, attendees, location }: Args) => {
        const calendar = calendarOf(calendarId, true);
        const from = timeOf(start, "start");
        const minutes = lasting(from, timeOf(end, "end"));
        const invited = attendees === undefined ? [] : [ME, ...(Array.isArray(attendees) ? attendees.map(String) : [])];
        const answers = invited.map((email) => [email, email === ME ? "accepted" : "needsAction"] as const);
        const details = { summary: str(summary), location: location === undefined ? undefined : str(location) };
        const id = `n${session.hex(14)}`;
        const entry = { id, calendar, start: from, minutes, ...details, attendees: Object.fromEntries(answers) };
        entries.push(entry);
        return withConflicts(entry);
      },
      "update-event": ({ eventId, summary, start, end, location }: Args) => {
        const entry = eventOf(eventId, true);
        const from = start === undefined ? entry.start : timeOf(start, "start");
        entry.minutes = end === undefined ? entry.minutes : lasting(from, timeOf(end, "end"));
        entry.start = from;
        if (summary !== undefined) entry.summary = str(summary);
        if (location !== undefined) entry.location = str(location);
        return withConflicts(entry);
      },
      "delete-event": ({ eventId }: Args) => {
        entries.splice(entries.indexOf(eventOf(eventId, true)), 1);
        return { deleted: true, eventId };
      },
      "respond-to-event": ({ eventId, response }: Args) => {
        const entry = eventOf(eventId);
        if (entry.attendees[ME] === undefined) throw new Refusal("You are not an attendee of this event.");
        if (!["accepted", "declined", "tentative"].includes(str(response)))
          throw new Refusal(`Invalid response '${response}'`, 422);
        entry.attendees[ME] = str(response);
        return { id: eventId, summary: entry.summary, responseStatus: response };
      },
      "find-slots": ({ emails, date, minutes }: Args) => {
        const [from, to] = [timeOf(`${date}T09:00:00`, "date"), timeOf(`${date}T17:00:00`, "date")];
        const found = peopleOf(emails).flatMap((email) => busy(email, from, to));
        const taken = found.map((one) => [one.start, endOf(one)] as const);
        taken.sort(([a], [b]) => a - b);
        const slots: Data[] = [];
        let free = from;
        for (const [start, end] of [...taken, [to, to] as const]) {
          if (start - free >= num(minutes) * MINUTE) slots.push({ start: iso(free), end: iso(Math.min(start, to)) });
          free = Math.max(free, end);
        }
        return { date, slots };
      },
      "time-report": (range: Args) => {
        const found = busy(ME, ...rangeOf(range));
        const minutes = (rows: readonly Entry[]) => rows.reduce((sum, one) => sum + one.minutes, 0);
        return {
          events: found.length,
          hours: cents(minutes(found) / 60),
          with_others_hours: cents(minutes(found.filter((one) => Object.keys(one.attendees).length > 0)) / 60),
        };
      },
      "convert-time": ({ time, timeZone }: Args) => {
        if (ZONES[str(timeZone)] === undefined) throw new Refusal(`Unknown time zone '${timeZone}'`, 422);
        return { time: iso(timeOf(time, "time")), timeZone, converted: iso(timeOf(time, "time"), str(timeZone)) };
      },
    };
    const day = task.pick(["2026-02-02", "2026-02-03", "2026-02-04", "2026-02-05", "2026-02-06"]);
    const calendarId = task.pick(["primary", "primary", "team", "holidays"]);
    const at = `${day}T${task.pick(["08:30", "09:00", "11:00", "13:30", "16:00"])}:00`;
    const minutes = task.pick([30, 45, 60, 90]);
    const until = (start: string, length = minutes) => iso(berlin(start) + length * MINUTE).slice(0, 19);
    const summary = task.pick(["Budget talk", "Interview", "Lunch with Pia", "Release check"]);
    const location = task.pick([undefined, "Room Elbe", "Cafe Moll"]);
    const attendees = task.pick([undefined, ["jonas@kite.example"], ["aiko@kite.example", "luis@kite.example"]]);
    const response = task.pick(["accepted", "declined", "tentative"]);
    const zone = task.pick(["America/New_York", "Asia/Tokyo"]);
    const known = task.pick(entries.filter(({ calendar }) => calendar !== "holidays"));
    const week = { timeMin: "2026-02-02T00:00:00", timeMax: "2026-02-07T00:00:00" };
    const emails = [ME, ...(attendees ?? ["aiko@kite.example"])];
    const maxResults = task.pick([undefined, 10]);
    const kind = task.between(0, 5);
    const wishes = [
      `Put "${summary}" into my ${calendarId} calendar on ${at} for ${minutes} minutes${location ? `, at ${location}` : ""}.`,
      `Find ${minutes} minutes on ${day} that suit ${emails.join(", ")} and call it "${summary}".`,
      `Move "${known.summary}" to ${at}.`,
      `Cancel "${known.summary}". How many hours of meetings do I have in the week of 2 February then?`,
      `Answer "${response}" to "${known.summary}", and see what ${day} looks like.`,
      `When is "${known.summary}" for our people in ${zone}? Make it ${minutes} minutes long.`,
    ];
    function* plan(): Plan {
      const rows: Data[] = [];
      for (const one of ["primary", "team"])
        rows.push(...rowsOf(yield call("list-events", { calendarId: one, ...week, maxResults })));
      const eventId = str(rows.find((row) => row.summary === known.summary)?.id, known.id);
      if (kind === 0) {
        const fields = { calendarId, summary, start: at, end: until(at), attendees, location };
        const made = fieldOf(((yield call("create-event", fields)) as Data | undefined)?.event, "id");
        if (made !== undefined) yield call("get-event", { eventId: made });
        yield call("list-events", { calendarId, timeMin: `${day}T00:00:00`, timeMax: `${day}T23:59:00` });
      } else if (kind === 1) {
        const slots = rowsOf(yield call("find-slots", { emails, date: day, minutes }));
        const start = str(slots[0]?.start, `${day}T12:00:00+01:00`);
        const end = iso(Date.parse(start) + minutes * MINUTE);
        yield call("create-event", { calendarId: "primary", summary, start, end, attendees: emails.slice(1) });
        yield call("find-slots", { emails, date: day, minutes });
      } else if (kind === 2) {
        yield call("update-event", { eventId, start: at, end: until(at, known.minutes), location });
        yield call("get-event", { eventId });
        yield call("find-slots", { emails: [ME], date: day, minutes: 60 });
      } else if (kind === 3) {
        yield call("time-report", week);
        yield call("delete-event", { eventId });
        yield call("get-event", { eventId });
      } else if (kind === 4) {
        yield call("get-event", { eventId });
        yield call("respond-to-event", { eventId, response });
        yield call("get-event", { eventId });
        yield call("find-slots", { emails: [ME], date: day, minutes });
      } else {
        const start = iso(known.start).slice(0, 19);
        yield call("convert-time", { time: start, timeZone: zone });
        yield call("update-event", { eventId, end: until(start) });
        yield call("convert-time", { time: until(start), timeZone: zone });
      }
      yield call("time-report", week);
    }
    return {
      request: `I am ${ME}; times are those of Berlin. ${wishes[kind]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("list-events", { calendarId: random.pick([...Object.keys(CALENDARS), "work"]), ...week }),
          call("get-event", { eventId: random.pick([...entries.map(({ id }) => id), "k7none"]) }),
          call("find-slots", { emails: [random.pick([...PEOPLE, "pia@else.example"])], date: day, minutes }),
          call("convert-time", { time: at, timeZone: random.pick([...Object.keys(ZONES), "Mars/Base"]) }),
          call("respond-to-event", { eventId: random.pick(entries).id, response: "tentative" }),
        ]),
    };
  },
};
