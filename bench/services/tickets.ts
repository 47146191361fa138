import { Random } from "./random.ts";
import { type Args, call, fieldOf, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const USERS = ["nora", "pete", "quinn"];
const PRIORITIES = ["low", "normal", "high", "urgent"];
const NEXT: Readonly<Record<string, readonly string[]>> = {
  new: ["active", "closed"],
  active: ["waiting", "solved"],
  waiting: ["active"],
  solved: ["closed", "active"],
  closed: [],
};
const TITLES = [
  "Printer jams",
  "Cannot sign in",
  "Slow laptop",
  "Screen flickers",
  "Mail bounces",
  "Badge rejected",
  "Phone is mute",
];

interface Ticket {
  id: number;
  title: string;
  owner: string;
  status: string;
  priority: string;
  comments: { by: string; text: string }[];
  due_hours: number;
  updated_on: string;
}

const dueOf = (priority: string) => [72, 48, 8, 2][PRIORITIES.indexOf(priority)] as number;

function firstTickets(): Ticket[] {
  const random = new Random("tickets");
  return Array.from({ length: 16 }, (_, i) => {
    const priority = random.pick(PRIORITIES);
    const comments = random.chance(0.4)
      ? [{ by: random.pick(USERS), text: random.pick(["Any news?", "Restarted it."]) }]
      : [];
    return {
      id: 301 + i,
      title: random.pick(TITLES),
      owner: random.pick(USERS),
      status: random.pick(Object.keys(NEXT)),
      priority,
      comments,
      due_hours: dueOf(priority),
      updated_on: `2026-01-${String(10 + i)}`,
    };
  });
}

/**
 * Support tickets: a status machine, priorities with due times, and each user sees the own tickets alone. One first
 * state of the tickets; who is signed in differs by task.
 */
export const tickets: InventedService = {
  name: "tickets",
  form: "openai",
  refusals: "object",
  indent: 2,
  tools: [
    tool("whoami", "Says who is signed in."),
    tool("switch_user", "Signs in as another user.", { user: "string" }),
    tool("sign_out", "Signs out."),
    tool("open_ticket", "Opens a ticket.", {
      title: "string",
      priority: "low|normal|high|urgent? normal by default",
      text: "string? a first comment",
    }),
    tool("show_ticket", "Shows one of the own tickets.", { id: "integer" }),
    tool("my_tickets", "Lists the own tickets, the most urgent first.", {
      status: "string?",
      limit: "integer? 10 by default",
    }),
    tool("set_status", "Moves a ticket to another status.", { id: "integer", status: "string" }),
    tool("escalate", "Raises the priority by one step.", { id: "integer" }),
    tool("comment", "Adds a comment; a waiting ticket becomes active again.", { id: "integer", text: "string" }),
    tool("hand_over", "Gives a ticket to another user.", { id: "integer", user: "string" }),
    tool("statistics", "Counts the tickets of all users by status."),
  ],
  start(task, session) {
    const today = `2026-02-${String(session.between(1, 20)).padStart(2, "0")}`;
    const tickets = firstTickets();
    let user: string | undefined = task.chance(0.8) ? task.pick(USERS) : undefined;
    const known = (name: unknown) => {
      if (!USERS.includes(str(name))) throw new Refusal(`Unknown user '${name}'`);
      return str(name);
    };
    const signedIn = () => {
      if (user === undefined) throw new Refusal("Sign in first");
      return user;
    };
    const own = (id: unknown) => {
      const who = signedIn();
      const found = tickets.find((one) => one.id === id);
      if (!found) throw new Refusal(`Ticket ${id} not found`);
      if (found.owner !== who) throw new Refusal(`Ticket ${id} belongs to another user`);
      return found;
    };
    const handlers = {
      whoami: () => ({ user: user ?? null }),
      switch_user: ({ user: name }: Args) => {
        if (user === known(name)) throw new Refusal(`Already signed in as ${name}`);
        user = known(name);
        return { ok: true };
      },
      sign_out: () => {
        signedIn();
        user = undefined;
        return { ok: true };
      },
      open_ticket: ({ title, priority, text }: Args) => {
        const owner = signedIn();
        const level = str(priority, "normal");
        if (!PRIORITIES.includes(level)) throw new Refusal(`Unknown priority '${level}'`);
        const id = 301 + tickets.length;
        const due_hours = dueOf(level);
        tickets.push({
          id,
          title: str(title),
          owner,
          status: "new",
          priority: level,
          comments: text === undefined ? [] : [{ by: owner, text: str(text) }],
          due_hours,
          updated_on: today,
        });
        return { id, status: "new", due_hours, updated_on: today };
      },
      show_ticket: ({ id }: Args) => own(id),
      my_tickets: ({ status, limit }: Args) => {
        const who = signedIn();
        const found = tickets.filter((one) => one.owner === who && (status === undefined || one.status === status));
        found.sort((a, b) => PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority) || a.id - b.id);
        return found.slice(0, num(limit, 10)).map(({ id, title, status, priority, comments, updated_on }) => ({
          id,
          title,
          status,
          priority,
          comments: comments.length,
          updated_on,
        }));
      },
      set_status: ({ id, status }: Args) => {
        const one = own(id);
        if (NEXT[str(status)] === undefined) throw new Refusal(`Unknown status '${status}'`);
        if (!NEXT[one.status]?.includes(str(status))) throw new Refusal(`Cannot go from ${one.status} to ${status}`);
        one.status = str(status);
        one.updated_on = today;
        return { id: one.id, status: one.status };
      },
      escalate: ({ id }: Args) => {
        const one = own(id);
        if (one.status === "closed") throw new Refusal(`Ticket ${id} is closed`);
        if (one.priority === "urgent") throw new Refusal(`Ticket ${id} is urgent already`);
        one.priority = PRIORITIES[PRIORITIES.indexOf(one.priority) + 1] as string;
        one.due_hours = dueOf(one.priority);
        one.updated_on = today;
        return { id: one.id, priority: one.priority, due_hours: one.due_hours };
      },
      comment: ({ id, text }: Args) => {
        const one = own(id);
        one.comments.push({ by: signedIn(), text: str(text) });
        if (one.status === "waiting") one.status = "active";
        return { comments: one.comments.length };
      },
      hand_over: ({ id, user: name }: Args) => {
        const one = own(id);
        one.owner = known(name);
        return `Ticket ${one.id} now belongs to ${one.owner}.`;
      },
      statistics: () =>
        Object.fromEntries(
          Object.keys(NEXT).map((status) => [status, tickets.filter((one) => one.status === status).length]),
        ),
    };
    const me = user ?? task.pick(USERS);
    const other = task.pick(USERS.filter((name) => name !== me));
    const id = task.pick(tickets.filter(({ owner }) => owner === me)).id;
    const title = task.pick(TITLES);
    const text = task.pick(["It happened again.", "Please hurry.", "Works now."]);
    const priority = task.pick([undefined, ...PRIORITIES]);
    const steps = task.some(Object.keys(NEXT), 3);
    const goal = task.between(0, 3);
    const signIn = user === undefined;
    function* plan(): Plan {
      if (signIn) yield call("switch_user", { user: me });
      if (goal === 0) {
        const opened = yield call("open_ticket", { title, priority, text: task.pick([undefined, text]) });
        const made = num(fieldOf(opened, "id") ?? 317);
        yield call("comment", { id: made, text });
        yield call("set_status", { id: made, status: "active" });
        yield call("show_ticket", { id: made });
        yield call("my_tickets");
      } else if (goal === 1) {
        yield call("my_tickets", { status: task.pick([undefined, ...steps]) });
        for (const status of steps) yield call("set_status", { id, status });
        yield call("show_ticket", { id });
        yield call("statistics");
      } else if (goal === 2) {
        yield call("escalate", { id });
        yield call("comment", { id, text });
        yield call("hand_over", { id, user: other });
        yield call("show_ticket", { id });
        yield call("switch_user", { user: other });
        yield call("show_ticket", { id });
        yield call("my_tickets", { limit: 4 });
      } else {
        yield call("show_ticket", { id });
        yield call("escalate", { id });
        yield call("escalate", { id });
        yield call("my_tickets", { limit: 3 });
        yield call("sign_out");
        yield call("whoami");
      }
    }
    return {
      at: `${today}T12:00:00Z`,
      request: `${me} here: see to ticket ${id}${goal === 2 ? `, then let ${other} have it` : ""}. '${title}' may need a new ticket. Tell them: ${text}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("whoami"),
          call("my_tickets", { status: random.pick([undefined, "new", "active", "closed"]) }),
          call("show_ticket", { id: random.pick([id, id, random.between(299, 318)]) }),
          call("statistics"),
          call("set_status", { id, status: random.pick([...steps, "done"]) }),
          call("hand_over", { id: random.between(301, 317), user: random.pick([other, "zoe"]) }),
          call("escalate", { id: random.between(301, 316) }),
        ]),
    };
  },
};
