import { type Args, call, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const LABELS = ["bug", "feature", "docs", "urgent"];
const TITLES = [
  "Fix the login page",
  "Write the changelog",
  "Upgrade the database",
  "Draw icons",
  "Rate limits",
  "Dark mode",
];
const PROJECTS = ["Website", "Mobile App", "Billing", "Research"];

interface Card {
  id: string;
  title: string;
  description: string;
  labels: Set<string>;
  comments: string[];
  done: boolean;
}

interface Column {
  id: string;
  name: string;
  limit: number | undefined;
  cards: Card[];
}

interface Project {
  id: string;
  name: string;
  columns: Column[];
}

/**
 * An issue board of an MCP server that answers Markdown alone: projects, columns with limits, cards, labels and
 * comments. It starts empty, and all ids are random.
 */
export const board: InventedService = {
  name: "board",
  form: "mcp",
  refusals: "text",
  tools: [
    tool("create_project", "Creates a project with its columns.", {
      name: "string",
      columns: "list? To do, Doing and Done by default",
    }),
    tool("list_projects", "Lists projects with their cards counted."),
    tool("show_board", "Shows the columns of a project with their cards.", { project_id: "string" }),
    tool("delete_project", "Deletes a project with everything in it.", { project_id: "string" }),
    tool("add_column", "Adds a column at the right.", {
      project_id: "string",
      name: "string",
      limit: "integer? most cards that it may hold",
    }),
    tool("delete_column", "Deletes a column; its cards move to the first column that is left.", {
      column_id: "string",
    }),
    tool("add_card", "Adds a card at the bottom of a column.", {
      column_id: "string",
      title: "string",
      description: "string?",
      labels: "list?",
    }),
    tool("show_card", "Shows a card.", { card_id: "string" }),
    tool("move_card", "Moves a card to a column; cards of the last column are done.", {
      card_id: "string",
      column_id: "string",
      position: "integer? from 1 at the top; at the bottom by default",
    }),
    tool("label_card", "Sets or takes away a label.", { card_id: "string", label: "string", remove: "boolean?" }),
    tool("comment_card", "Adds a comment.", { card_id: "string", text: "string" }),
    tool("find_cards", "Finds cards by words of title, description or comments; case does not matter.", {
      text: "string",
      label: "string?",
      limit: "integer? 10 by default",
    }),
    tool("progress", "Tells how much of a project is done.", { project_id: "string" }),
  ],
  start(task, session) {
    let projects: Project[] = [];
    const columns = () => projects.flatMap((project) => project.columns);
    const withId = <T extends { id: string }>(list: readonly T[], id: unknown, noun: string): T => {
      const found = list.find((one) => one.id === id);
      if (!found) throw new Refusal(`❌ ${noun} \`${id}\` not found.`);
      return found;
    };
    const projectOf = (id: unknown) => withId(projects, id, "Project");
    const columnOf = (id: unknown) => withId(columns(), id, "Column");
    const cardOf = (id: unknown) => {
      const all = columns().flatMap((column) => column.cards.map((card) => ({ id: card.id, card, column })));
      return withId(all, id, "Card");
    };
    const projectWith = (column: Column) => projects.find((one) => one.columns.includes(column)) as Project;
    const room = ({ name, limit, cards }: Column) => {
      if (limit !== undefined && cards.length >= limit)
        throw new Refusal(`❌ Column **${name}** is full (${cards.length}/${limit}).`);
    };
    const labelOf = (label: unknown) => {
      if (!LABELS.includes(str(label))) throw new Refusal(`❌ Unknown label "${label}". Labels: ${LABELS.join(", ")}`);
      return str(label);
    };
    const badges = ({ labels }: Card) =>
      [...labels]
        .sort()
        .map((label) => ` \`${label}\``)
        .join("");
    const lineOf = (card: Card) => `- [${card.done ? "x" : " "}] ${card.title} (${card.id})${badges(card)}`;
    const cardsOf = (project: Project) => project.columns.flatMap(({ cards }) => cards);
    const settle = (project: Project) => {
      for (const column of project.columns)
        for (const card of column.cards) card.done = column === project.columns.at(-1) && project.columns.length > 1;
    };
    const handlers = {
      create_project: ({ name, columns: names }: Args) => {
        if (projects.some((one) => one.name === name)) throw new Refusal(`❌ There is a project "${name}" already.`);
        const wanted = Array.isArray(names) && names.length > 0 ? names.map(String) : ["To do", "Doing", "Done"];
        const made = wanted.map((name) => ({ id: session.hex(8), name, limit: undefined, cards: [] }));
        const project = { id: session.hex(8), name: str(name), columns: made };
        projects.push(project);
        return [
          `✅ Created project **${name}** (${project.id})`,
          "",
          "| Column | Id |",
          "|---|---|",
          ...made.map(({ name, id }) => `| ${name} | ${id} |`),
        ].join("\n");
      },
      list_projects: () =>
        projects.length === 0
          ? "_No projects yet._"
          : [
              "# Projects",
              ...projects.map((one) => `- **${one.name}** (${one.id}): ${count(cardsOf(one).length, "card")}`),
            ].join("\n"),
      show_board: ({ project_id }: Args) => {
        const project = projectOf(project_id);
        return [
          `# ${project.name}`,
          ...project.columns.flatMap(({ id, name, limit, cards }) => [
            "",
            `## ${name} (${id}) ${cards.length}${limit === undefined ? "" : `/${limit}`}`,
            ...(cards.length === 0 ? ["_empty_"] : cards.map(lineOf)),
          ]),
        ].join("\n");
      },
      delete_project: ({ project_id }: Args) => {
        const project = projectOf(project_id);
        projects = projects.filter((one) => one !== project);
        return `🗑️ Deleted **${project.name}** with ${count(cardsOf(project).length, "card")}.`;
      },
      add_column: ({ project_id, name, limit }: Args) => {
        const project = projectOf(project_id);
        const column = {
          id: session.hex(8),
          name: str(name),
          limit: limit === undefined ? undefined : num(limit),
          cards: [],
        };
        project.columns.push(column);
        settle(project);
        return `✅ Added column **${name}** (${column.id}) to ${project.name}.`;
      },
      delete_column: ({ column_id }: Args) => {
        const column = columnOf(column_id);
        const project = projectWith(column);
        const left = project.columns.filter((one) => one !== column);
        if (!left[0]) throw new Refusal("❌ A project needs at least one column.");
        left[0].cards.push(...column.cards);
        project.columns = left;
        settle(project);
        return `🗑️ Deleted column **${column.name}**.`;
      },
      add_card: ({ column_id, title, description, labels }: Args) => {
        const column = columnOf(column_id);
        room(column);
        const given = Array.isArray(labels) ? labels.map(labelOf) : [];
        const card = { id: session.hex(8), title: str(title), description: str(description), labels: new Set(given) };
        column.cards.push({ ...card, comments: [], done: false });
        settle(projectWith(column));
        return `✅ Added card **${title}** (${card.id}) to ${column.name}.`;
      },
      show_card: ({ card_id }: Args) => {
        const { card, column } = cardOf(card_id);
        return [
          `### ${card.title}${badges(card)}`,
          `*${projectWith(column).name} › ${column.name}*`,
          "",
          card.description || "_No description._",
          ...(card.comments.length === 0 ? [] : ["", `**Comments (${card.comments.length})**`]),
          ...card.comments.map((text) => `- ${text}`),
        ].join("\n");
      },
      move_card: ({ card_id, column_id, position }: Args) => {
        const { card, column } = cardOf(card_id);
        const to = columnOf(column_id);
        if (projectWith(to) !== projectWith(column)) throw new Refusal("❌ Cards stay in their project.");
        if (to !== column) room(to);
        column.cards.splice(column.cards.indexOf(card), 1);
        to.cards.splice(Math.max(0, num(position, to.cards.length + 1) - 1), 0, card);
        settle(projectWith(to));
        return `➡️ **${card.title}**: ${column.name} → ${to.name}`;
      },
      label_card: ({ card_id, label, remove }: Args) => {
        const { card } = cardOf(card_id);
        if (remove !== true) card.labels.add(labelOf(label));
        else if (!card.labels.delete(labelOf(label))) throw new Refusal(`❌ The card has no label "${label}".`);
        return `🏷️ ${card.title}:${badges(card) || " no labels"}`;
      },
      comment_card: ({ card_id, text }: Args) => {
        const { card } = cardOf(card_id);
        card.comments.push(str(text));
        return "💬 Comment added.";
      },
      find_cards: ({ text, label, limit }: Args) => {
        const found = projects
          .flatMap(cardsOf)
          .filter(
            (card) =>
              [card.title, card.description, ...card.comments]
                .join("\n")
                .toLowerCase()
                .includes(str(text).toLowerCase()) &&
              (label === undefined || card.labels.has(labelOf(label))),
          );
        if (found.length === 0) return `_Nothing found for "${text}"._`;
        return [`**${count(found.length, "card")} found**`, ...found.slice(0, num(limit, 10)).map(lineOf)].join("\n");
      },
      progress: ({ project_id }: Args) => {
        const all = cardsOf(projectOf(project_id));
        const done = all.filter((card) => card.done).length;
        return all.length === 0
          ? "No cards yet."
          : `${done} of ${all.length} done (${Math.round((100 * done) / all.length)}%)`;
      },
    };
    const name = task.pick(PROJECTS);
    const none = "00000000";
    const names = task.pick([undefined, ["Backlog", "Review", "Shipped"], ["Ideas", "Now"]]);
    const titles = task.some(TITLES, task.between(2, 3));
    const [label, second] = task.some(LABELS, 2) as [string, string];
    const remark = task.pick(["Waiting for design.", "Reproduced on staging.", "Ask Lena first."]);
    const goal = task.between(0, 3);
    const idOf = (answer: unknown) => /\((\w{8})\)/.exec(str(answer))?.[1] ?? none;
    function* plan(): Plan {
      const made = str(yield call("create_project", { name, columns: names }));
      const project_id = idOf(made);
      const ids = [...made.matchAll(/\| (\w{8}) \|/g)].map(([, id]) => str(id));
      const [first, last] = [ids[0] ?? none, ids.at(-1) ?? none];
      const cards: string[] = [];
      for (const title of titles) {
        const labels = task.pick([undefined, [label], [label, second]]);
        const description = task.pick([undefined, `About: ${title.toLowerCase()}.`]);
        cards.push(idOf(yield call("add_card", { column_id: first, title, description, labels })));
      }
      const [card_id, other] = cards as [string, string];
      if (goal === 0) {
        yield call("move_card", { card_id, column_id: last });
        yield call("show_board", { project_id });
        yield call("progress", { project_id });
      } else if (goal === 1) {
        yield call("comment_card", { card_id, text: remark });
        yield call("label_card", { card_id, label: second });
        yield call("label_card", { card_id, label, remove: true });
        yield call("show_card", { card_id });
        yield call("find_cards", { text: remark.toUpperCase().slice(0, 8), label: task.pick([undefined, second]) });
      } else if (goal === 2) {
        const column_id = idOf(yield call("add_column", { project_id, name: "Blocked", limit: 1 }));
        yield call("move_card", { card_id, column_id });
        yield call("move_card", { card_id: other, column_id });
        yield call("show_board", { project_id });
        yield call("delete_column", { column_id: task.pick([column_id, first]) });
        yield call("progress", { project_id });
      } else {
        yield call("move_card", { card_id: other, column_id: first, position: 1 });
        yield call("show_card", { card_id: other });
        yield call("list_projects");
        if (task.chance(0.5)) yield call("delete_project", { project_id });
        yield call("find_cards", { text: titles[1]?.slice(0, 5) });
      }
    }
    const strayCard = () => columns().flatMap(({ cards }) => cards)[0]?.id ?? none;
    return {
      request: `Set up the board "${name}"${names ? ` with the columns ${names.join(", ")}` : ""} and the cards ${titles.join(", ")} (${label}, ${second}). ${["Finish the first one.", `Note on the first one: ${remark}`, "Block the first one.", "Put the second one on top."][goal]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("list_projects"),
          call("show_board", { project_id: projects[0]?.id ?? none }),
          call("find_cards", { text: random.pick(["the", "zebra", "D"]), limit: random.pick([undefined, 1]) }),
          call("show_card", { card_id: strayCard() }),
          call("label_card", { card_id: strayCard(), label: random.pick([label, "wish"]) }),
          call("create_project", { name }),
        ]),
    };
  },
};
