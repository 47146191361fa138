import { expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import { type Answered, type Asked, data, refused, type Service, sessions } from "../services.ts";

/** Books that are put on shelves: most on the first, and those of others are lent before anyone looks where they stand. */
class Shelves implements Service {
  readonly tools = ["add_shelf", "put_book", "lend_book", "find_book"];
  private readonly books: { book_id: string; title: string; lent: boolean; shelf_id: string }[] = [];
  private shelves = 0;
  private next: Asked[] = [
    ["add_shelf", {}],
    ["add_shelf", {}],
  ];

  call(tool: string, { shelf_id, book_id, title }: JsonObject): Answered {
    if (tool === "add_shelf") return data({ shelf_id: `shelf-${++this.shelves}` });
    if (tool === "put_book") {
      const made = { book_id: `book-${this.books.length + 1}`, title: String(title) };
      this.books.push({ ...made, lent: false, shelf_id: String(shelf_id) });
      return data({ book: made });
    }
    const book = this.books.find((one) => one.book_id === book_id);
    if (!book) return refused("There is no such book.");
    if (tool === "lend_book") book.lent = true;
    return data(tool === "lend_book" ? { lent: book_id } : { book });
  }

  ask(random: Random): Asked {
    const next = this.next.shift();
    if (next) return next;
    const book_id = `book-${this.books.length + 1}`;
    const other = random.chance(0.3);
    this.next = other ? [["lend_book", { book_id }]] : [];
    this.next.push(["find_book", { book_id }]);
    return ["put_book", { shelf_id: other ? "shelf-2" : "shelf-1", title: random.pick(["Rivers", "Birds", "Bread"]) }];
  }
}

test("a new row holds what its call was given, and not the value that most of them were given", () => {
  const observed = observe(
    sessions(
      () => new Shelves(),
      Array.from({ length: 30 }, (_, i) => i),
    ),
  );
  const calls = callsByTool(observed);
  const world = new Starts(compilePrograms(observed, calls, manifest(undefined, calls), "shelves")).fresh("task 1");
  for (const args of [{}, {}]) world.call("add_shelf", args);
  world.call("put_book", { shelf_id: "shelf-2", title: "Birds" });
  expect(world.call("find_book", { book_id: "book-1" }).value).toMatchObject({ book: { shelf_id: "shelf-2" } });
});
