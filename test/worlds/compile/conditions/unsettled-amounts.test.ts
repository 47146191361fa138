import { expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { createWorld } from "../../../../worlds/world.ts";

const DAYS = ["mon", "tue", "wed"];

const room = (n: number) => ({
  room_id: `R${n}`,
  price: 50 + 7 * n,
  days: Object.fromEntries(DAYS.map((day, d) => [day, { left: 2 + ((n + d) % 3), view: d === 1 ? "sea" : "yard" }])),
});

const call = (tool: string, args: JsonObject, result: JsonObject): ObservedCall => ({
  tool,
  args,
  result: JSON.stringify(result),
  isError: false,
});

/** Sessions that move a stay to a room and a day; `later` is whether they look at the room afterwards, and find it as it was. */
const sessions = (later: boolean): ObservedTrace[] =>
  Array.from({ length: 18 }, (_, n) => {
    const stay = { stay_id: `S${n}`, guest: `Guest ${n}`, room_id: "R99", day: "sun", price: 9 };
    const { stay_id } = stay;
    const { room_id, price } = room((n * 5) % 7);
    const day = DAYS[n % 3] as string;
    const read = call("get_room", { room_id }, room((n * 5) % 7));
    return {
      id: `s${n}`,
      group: `task ${n}`,
      calls: [
        read,
        call("get_stay", { stay_id }, stay),
        call("move_stay", { stay_id, room_id, day }, { ...stay, room_id, day, price }),
        ...(later ? [read] : []),
      ],
    };
  });

const worldOf = (later: boolean) => {
  const records = { rooms: Array.from({ length: 7 }, (_, n) => room(n)) };
  const { bundle, base } = compile(sessions(later), { name: "rooms", records });
  return createWorld(bundle, base);
};

const MOVE = { stay_id: "S4", room_id: "R2", day: "tue" };

test("whether a call takes from an amount that it names is open where no later sight shows it", () => {
  const world = worldOf(false);
  expect(world.call("get_room", { room_id: "R2" }).value).toEqual(room(2));
  expect(world.call("move_stay", MOVE).value).toMatchObject({ room_id: "R2", price: 64 });
  expect(world.call("get_room", { room_id: "R2" }).answerClass).toBe("error:not_served");
  expect(world.call("get_room", { room_id: "R3" }).value).toEqual(room(3));
  expect(world.call("move_stay", { ...MOVE, stay_id: "S5" }).value).toMatchObject({ price: 64 });
});

test("where later sights show it, it is as they do", () => {
  const world = worldOf(true);
  expect(world.call("move_stay", MOVE).value).toMatchObject({ room_id: "R2", price: 64 });
  expect(world.call("get_room", { room_id: "R2" }).value).toEqual(room(2));
});
