import { expect, test } from "vitest";
import { board } from "../../../bench/services/board.ts";
import { start } from "./kit.ts";

const idOf = (answer: unknown) => /\((\w{8})\)/.exec(String(answer))?.[1] as string;

function withCards() {
  const world = start(board);
  const made = String(world.ask("create_project", { name: "Shop" }));
  const columns = [...made.matchAll(/\| (\w{8}) \|/g)].map(([, id]) => id as string);
  const add = (title: string) => idOf(world.ask("add_card", { column_id: columns[0], title, labels: ["bug"] }));
  return { ...world, project_id: idOf(made), columns, cards: [add("One"), add("Two")] };
}

test("a card in the last column is done, until another column is added behind it", () => {
  const { ask, project_id, columns, cards } = withCards();
  expect(ask("move_card", { card_id: cards[0], column_id: columns[2] })).toBe("➡️ **One**: To do → Done");
  expect(ask("progress", { project_id })).toBe("1 of 2 done (50%)");
  expect(ask("show_board", { project_id })).toContain(`## Done (${columns[2]}) 1\n- [x] One (${cards[0]}) \`bug\``);
  ask("add_column", { project_id, name: "Archive" });
  expect(ask("progress", { project_id })).toBe("0 of 2 done (0%)");
});

test("a full column takes no card, and the cards of a deleted one move to the first", () => {
  const { ask, refusal, project_id, columns, cards } = withCards();
  const column_id = idOf(ask("add_column", { project_id, name: "Blocked", limit: 1 }));
  ask("move_card", { card_id: cards[0], column_id });
  expect(refusal("move_card", { card_id: cards[1], column_id })).toBe("❌ Column **Blocked** is full (1/1).");
  ask("delete_column", { column_id });
  expect(ask("show_board", { project_id })).toContain(`## To do (${columns[0]}) 2\n- [ ] Two`);
});

test("comments are found whatever their case, and go with their project", () => {
  const { ask, refusal, project_id, cards } = withCards();
  ask("comment_card", { card_id: cards[1], text: "Ask Lena" });
  expect(ask("show_card", { card_id: cards[1] })).toContain("**Comments (1)**\n- Ask Lena");
  expect(ask("find_cards", { text: "LENA" })).toContain("**1 card found**");
  expect(ask("delete_project", { project_id })).toBe("🗑️ Deleted **Shop** with 2 cards.");
  expect(ask("find_cards", { text: "LENA" })).toBe('_Nothing found for "LENA"._');
  expect(refusal("show_card", { card_id: cards[1] })).toContain("not found");
});
