import { describe, expect, it } from "vitest";
import { addressInWords, withAddress, writtenAddress } from "../../../../worlds/tasks/words/address.ts";
import { withArguments } from "../../../../worlds/tasks/words/user-requests.ts";

const none = new Set<string>();
const args = { city: "Clifton", order_id: "W1", postcode: "60215", street: "6 Harbour Road" };

describe("an address in a request", () => {
  it("is written as on an envelope, whatever the order of the arguments", () => {
    for (const entries of [Object.entries(args), Object.entries(args).reverse()])
      expect(addressInWords(Object.fromEntries(entries), none)?.text).toBe("6 Harbour Road, Clifton, 60215");
    const names = addressInWords(args, none)?.names;
    expect([...(names ?? [])].sort()).toEqual(["city", "postcode", "street"]);
  });
  it("is known by the usual names of its parts, with what they begin with alike", () => {
    const given = {
      zip: "19122",
      country: "USA",
      state: "PA",
      city: "Philadelphia",
      address2: "Suite 641",
      address1: "1 Elm St",
    };
    expect(addressInWords(given, none)?.text).toBe("1 Elm St, Suite 641, Philadelphia, PA, 19122, USA");
    const fresh = { new_city: "Clifton", new_street: "6 Harbour Road" };
    expect(addressInWords(fresh, none)?.text).toBe("6 Harbour Road, Clifton");
  });
  it("says that a part is left empty", () => {
    expect(addressInWords({ address1: "1 Elm St", address2: "", city: "Denver" }, none)?.text).toBe(
      "1 Elm St, Denver, with no second line",
    );
  });
  it("is none without street and city, or with two of a part", () => {
    expect(addressInWords({ city: "Denver", reason: "moved" }, none)).toBeUndefined();
    expect(addressInWords({ ...args, shipping_city: "Denver" }, none)).toBeUndefined();
    expect(addressInWords(args, new Set(["city"]))).toBeUndefined();
  });
  it("follows its act with one word before it, whatever the act ends in", () => {
    const at = (act: string) => withAddress(act, { text: "6 Harbour Road, Clifton" });
    expect(at("change where my order #W1 is delivered to")).toBe(
      "have my order #W1 delivered to 6 Harbour Road, Clifton",
    );
    expect(at("change the place that my order goes to")).toBe(
      "change the place that my order goes to 6 Harbour Road, Clifton",
    );
    expect(at("add a place")).toBe("add a place at 6 Harbour Road, Clifton");
  });
  it("goes with the wish, and other arguments follow by name", () => {
    expect(
      withArguments("change the address of order W1", { ...args, reason: "moved" }, {}, new Set(["order_id"])),
    ).toBe("change the address of order W1 to 6 Harbour Road, Clifton, 60215, reason: moved");
    expect(withArguments("cancel order W1", { reason: "no_longer_needed" }, {}, none)).toBe(
      "cancel order W1, since it is no longer needed",
    );
    expect(withArguments("open an account", { city: "Clifton", street: "6 Harbour Road" }, {}, none)).toBe(
      "open an account at 6 Harbour Road, Clifton",
    );
  });
  it("reads back as it was written", () => {
    const text = "Hello! Could you please change the address of order W1 to 6 Harbour Road, Clifton, 60215? Thank you.";
    expect(Object.fromEntries(writtenAddress(text, Object.keys(args)) ?? [])).toEqual({
      street: "6 Harbour Road",
      city: "Clifton",
      postcode: "60215",
    });
    const empty = "Please change it to 1 Elm St, Denver, with no second line.";
    expect(Object.fromEntries(writtenAddress(empty, ["city", "address1", "address2"]) ?? [])).toEqual({
      address1: "1 Elm St",
      address2: "",
      city: "Denver",
    });
    expect(writtenAddress("Change it to 3 pieces, please.", Object.keys(args))).toBeUndefined();
  });
});
