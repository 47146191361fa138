import { Random } from "./random.ts";
import { type Args, call, fieldOf, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const PEOPLE = [
  "Mara Olsen",
  "Theo Brandt",
  "Priya Nair",
  "Luis Ortega",
  "Hana Sato",
  "Owen Clarke",
  "Ines Duarte",
  "Mara Lindt",
];
const TOPICS = [
  "Quarterly figures",
  "Office move",
  "Lunch on Friday",
  "Server outage",
  "Travel expenses",
  "New logo",
  "Parking permit",
];
const FOLDERS = ["inbox", "sent", "trash", "receipts"];
const addressOf = (name: string) => `${name.toLowerCase().replace(" ", ".")}@corp.example`;

interface Mail {
  id: string;
  folder: string;
  from: string;
  to: string;
  subject: string;
  body: string;
  sent: string;
  read: boolean;
}

/** Every session starts with this mailbox. */
function firstMails(): Mail[] {
  const random = new Random("mailbox");
  return Array.from({ length: 46 }, (_, i) => {
    const subject = random.pick(TOPICS);
    return {
      id: `m-${1001 + i}`,
      folder: random.chance(0.8) ? "inbox" : "receipts",
      from: addressOf(random.pick(PEOPLE)),
      to: "me@corp.example",
      subject: random.chance(0.3) ? `Re: ${subject}` : subject,
      body: `About ${subject.toLowerCase()}: ${random.pick(["please confirm", "see the numbers", "can we talk", "no news yet"])} by ${random.pick(["Monday", "noon", "June"])}.`,
      sent: `2025-03-${String(1 + Math.floor(i / 2)).padStart(2, "0")} ${String(8 + (i % 2) * 5).padStart(2, "0")}:${random.between(10, 59)}`,
      read: random.chance(0.6),
    };
  });
}

/** A mailbox with contacts, one first state: ids that count up, searches of the newest few, and reading that changes what is unread. */
export const mailbox: InventedService = {
  name: "mailbox",
  form: "openai",
  refusals: "text",
  tools: [
    tool("find_contact", "Finds addresses by a part of the name.", { name: "string" }),
    tool("search_mail", "Searches mail, the newest first.", {
      query: "string? part of subject or body",
      sender: "string? address",
      unread_only: "boolean?",
      folder: "inbox|sent|trash|receipts? inbox by default",
      limit: "integer? 5 by default",
    }),
    tool("open_mail", "Shows a mail and marks it as read.", { mail_id: "string" }),
    tool("send_mail", "Sends a mail.", { to: "string", subject: "string", body: "string" }),
    tool("reply", "Replies to a mail.", { mail_id: "string", body: "string" }),
    tool("forward", "Forwards a mail.", { mail_id: "string", to: "string" }),
    tool("move_mail", "Moves a mail to another folder.", { mail_id: "string", folder: "string" }),
    tool("delete_mail", "Moves a mail to the trash; from there it is deleted for good.", { mail_id: "string" }),
    tool("unread_count", "Counts unread mail of a folder.", { folder: "string? inbox by default" }),
    tool("folders", "Counts the mail of each folder."),
  ],
  start(task, session) {
    let mails = firstMails();
    let next = 1047;
    let minute = session.between(0, 30);
    const contacts = PEOPLE.map((name) => ({ name, address: addressOf(name) }));
    const mailOf = (id: unknown) => {
      const found = mails.find((mail) => mail.id === id);
      if (!found) throw new Refusal(`Mail ${id} does not exist.`);
      return found;
    };
    const folderOf = (name: unknown) => {
      if (!FOLDERS.includes(str(name, "inbox")))
        throw new Refusal(`Unknown folder '${name}'. Folders: ${FOLDERS.join(", ")}.`);
      return str(name, "inbox");
    };
    const send = (to: string, subject: string, body: string) => {
      if (!to.includes("@")) throw new Refusal(`'${to}' is no address.`);
      minute += session.between(1, 4);
      const sent = `2025-04-02 ${String(9 + Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
      mails.push({ id: `m-${next}`, folder: "sent", from: "me@corp.example", to, subject, body, sent, read: true });
      return { status: "sent", mail_id: `m-${next++}` };
    };
    const handlers = {
      find_contact: ({ name }: Args) => {
        const found = contacts.filter((one) => one.name.toLowerCase().includes(str(name).toLowerCase()));
        return found.length === 0 ? `No contact matches '${name}'.` : found;
      },
      search_mail: ({ query, sender, unread_only, folder, limit }: Args) => {
        const at = folderOf(folder);
        const found = mails.filter(
          (mail) =>
            mail.folder === at &&
            `${mail.subject}\n${mail.body}`.toLowerCase().includes(str(query).toLowerCase()) &&
            (sender === undefined || mail.from === sender) &&
            (unread_only !== true || !mail.read),
        );
        found.sort((a, b) => (a.sent > b.sent ? -1 : 1));
        const shown = found.slice(0, num(limit, 5));
        if (shown.length === 0) return "No mail found.";
        return shown.map(({ id, from, subject, sent, read }) => ({ mail_id: id, from, subject, sent, unread: !read }));
      },
      open_mail: ({ mail_id }: Args) => {
        const mail = mailOf(mail_id);
        mail.read = true;
        const { id, from, to, subject, body, sent } = mail;
        return { mail_id: id, from, to, subject, sent, body };
      },
      send_mail: ({ to, subject, body }: Args) => send(str(to), str(subject), str(body)),
      reply: ({ mail_id, body }: Args) => {
        const { from, subject } = mailOf(mail_id);
        return send(from, subject.startsWith("Re: ") ? subject : `Re: ${subject}`, str(body));
      },
      forward: ({ mail_id, to }: Args) => {
        const { subject, body } = mailOf(mail_id);
        return send(str(to), `Fwd: ${subject}`, body);
      },
      move_mail: ({ mail_id, folder }: Args) => {
        const mail = mailOf(mail_id);
        const to = folderOf(folder);
        if (mail.folder === to) throw new Refusal(`Mail ${mail.id} is in '${to}' already.`);
        mail.folder = to;
        return `Moved to ${to}.`;
      },
      delete_mail: ({ mail_id }: Args) => {
        const mail = mailOf(mail_id);
        if (mail.folder === "trash") {
          mails = mails.filter((one) => one !== mail);
          return "Deleted for good.";
        }
        mail.folder = "trash";
        return "Moved to trash.";
      },
      unread_count: ({ folder }: Args) => {
        const at = folderOf(folder);
        return { folder: at, unread: mails.filter((mail) => mail.folder === at && !mail.read).length };
      },
      folders: () => FOLDERS.map((name) => ({ name, mails: mails.filter(({ folder }) => folder === name).length })),
    };
    const person = task.pick(PEOPLE);
    const other = task.pick(PEOPLE);
    const topic = task.pick(TOPICS);
    const mail = task.pick(mails.filter(({ folder }) => folder === "inbox"));
    const body = `${task.pick(["Thanks", "Noted", "Agreed"])}, ${task.pick(["I will be there", "see you soon", "more tomorrow"])}.`;
    const goal = task.between(0, 4);
    function* plan(): Plan {
      if (goal === 0) {
        yield call("find_contact", { name: person.split(" ")[0] });
        const sent = yield call("send_mail", { to: addressOf(person), subject: topic, body });
        yield call("search_mail", { folder: "sent" });
        yield call("open_mail", { mail_id: fieldOf(sent, "mail_id") ?? "m-1047" });
      } else if (goal === 1) {
        yield call("search_mail", { sender: addressOf(person), unread_only: true });
        yield call("unread_count");
        yield call("open_mail", { mail_id: mail.id });
        yield call("reply", { mail_id: mail.id, body });
        yield call("unread_count");
        yield call("search_mail", { query: mail.subject, folder: "sent" });
      } else if (goal === 2) {
        yield call("search_mail", { query: topic.split(" ")[0], limit: 3 });
        yield call("find_contact", { name: other.split(" ")[0] });
        yield call("forward", { mail_id: mail.id, to: addressOf(other) });
        yield call("move_mail", { mail_id: mail.id, folder: "receipts" });
        yield call("search_mail", { folder: "receipts", query: topic.split(" ")[0] });
        yield call("folders");
      } else if (goal === 3) {
        yield call("search_mail", { sender: mail.from });
        yield call("delete_mail", { mail_id: mail.id });
        yield call("search_mail", { sender: mail.from });
        if (task.chance(0.5)) yield call("delete_mail", { mail_id: mail.id });
        yield call("open_mail", { mail_id: mail.id });
        yield call("folders");
      } else {
        yield call("search_mail", { query: topic, sender: addressOf(person) });
        yield call("search_mail", { query: topic, limit: 10 });
        yield call("send_mail", { to: addressOf(other), subject: `${topic} again`, body });
        yield call("send_mail", { to: addressOf(person), subject: topic, body });
        yield call("search_mail", { folder: "sent", query: topic });
      }
    }
    return {
      request: `Mail: deal with what ${person} and ${other} wrote on '${topic}', and with ${mail.id}. Say '${body}' where an answer is due.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("search_mail", {
            query: random.pick([undefined, topic, "numbers", "noon"]),
            limit: random.pick([undefined, undefined, 2]),
          }),
          call("search_mail", { sender: addressOf(random.pick(PEOPLE)), unread_only: random.pick([undefined, true]) }),
          call("unread_count", { folder: random.pick([undefined, "receipts", "spam"]) }),
          call("folders"),
          call("open_mail", { mail_id: `m-${random.between(1001, 1048)}` }),
          call("find_contact", { name: random.pick([person, "Mara", "Zoe"]) }),
          call("move_mail", { mail_id: mail.id, folder: random.pick(["inbox", "receipts", "later"]) }),
        ]),
    };
  },
};
