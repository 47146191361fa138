import { expect, it } from "vitest";
import { asksThen } from "../../../../worlds/tasks/families/recorded-changes.ts";

it.each([
  ["todo tasks", 2, "", "Then tell me how many todo tasks there are."],
  ["open orders", 12, "the customer Ann", "Then tell me how many open orders there are for the customer Ann."],
  ["order status", 3, "", "Then tell me the order status."],
  ["actual hours", 7, "", "Then tell me the actual hours."],
  ["account balances", 10.5, "", "Then tell me the account balances."],
  ["tags", "red", "", "Then tell me the tags."],
])("a figure of %s (%s) is asked for so that a count is meant where one is", (field, value, about, request) =>
  expect(asksThen(field, value, about)).toBe(request),
);
