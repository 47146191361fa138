import { expect, it } from "vitest";
import { openWithRetries } from "../../src/service/open-store.ts";
import { StoreUnreachable } from "../../store/unreachable.ts";

const told: object[] = [];
const log = { warn: (fields: object) => void told.push(fields) };

it("a database that cannot be reached is tried again until it can", async () => {
  let tries = 0;
  const opened = openWithRetries(async () => {
    tries += 1;
    if (tries < 3) throw new StoreUnreachable();
    return "store";
  }, log);
  expect(await opened).toBe("store");
  expect(tries).toBe(3);
  expect(told).toEqual([{ again_in_ms: 250 }, { again_in_ms: 500 }]);
});

it("for no longer than the patience; and what is no matter of reaching is thrown at once", async () => {
  let tries = 0;
  const out = () => {
    tries += 1;
    return Promise.reject(new StoreUnreachable());
  };
  await expect(openWithRetries(out, log, 600)).rejects.toThrow(StoreUnreachable);
  expect(tries).toBe(2);
  await expect(openWithRetries(() => Promise.reject(new TypeError("broken")), log)).rejects.toThrow("broken");
});
