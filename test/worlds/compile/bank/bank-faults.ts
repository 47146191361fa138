import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Bank, heldOf } from "./bank.ts";

export type Ask = readonly [tool: string, args: JsonObject];
type Test = "test_payment" | "test_transfer" | "test_push";

/** Something that is wrong when a task starts: how it comes about, the test that the customer complains of, and what mends it. */
interface Fault {
  readonly befall: (bank: Bank) => void;
  readonly complaint: Test;
  readonly mend: (bank: Bank, random: Random) => Ask[];
}

const SIGN_IN: Ask = ["sign_in", { method: "pin" }];

/** Puts the phone into a foreign network, away from the home's Wi-Fi. */
const abroad = ({ phone, card, holder }: Bank, change: object = {}): void => {
  card.features.abroad = true;
  holder.travel_notice = { country: "Peru", until: "2026-05-31" };
  Object.assign(phone, { abroad: true, wifi: false, roaming: true }, change);
};

const notice = ({ holder }: Bank, random: Random): Ask => [
  "add_travel_notice",
  { customer_id: holder.customer_id, country: random.pick(["Peru", "Japan"]), until: "2026-05-31" },
];
const resetPin = ({ holder }: Bank): Ask[] => [
  ["reset_app_pin", { customer_id: holder.customer_id }],
  ["choose_new_pin", {}],
  SIGN_IN,
];

export const FAULTS: Record<string, Fault> = {
  airplane: {
    befall: ({ phone }) => Object.assign(phone, { airplane: true, wifi: false }),
    complaint: "test_transfer",
    mend: () => [["toggle_airplane_mode", {}]],
  },
  offline: {
    befall: ({ phone }) => Object.assign(phone, { data: false, wifi: false }),
    complaint: "test_push",
    mend: (_, random) => [random.chance(0.6) ? ["toggle_mobile_data", {}] : ["toggle_wifi", {}]],
  },
  roaming: {
    befall: (bank) => abroad(bank, { roaming: false }),
    complaint: "test_transfer",
    mend: () => [["toggle_roaming", {}]],
  },
  vpn: {
    befall: ({ phone }) => Object.assign(phone, { vpn: true }),
    complaint: "test_transfer",
    mend: (_, random) => (random.chance(0.8) ? [["toggle_vpn", {}]] : [["restart_phone", {}], SIGN_IN]),
  },
  nfc: {
    befall: ({ phone }) => Object.assign(phone, { nfc: false }),
    complaint: "test_payment",
    mend: () => [["toggle_nfc", {}]],
  },
  signedOut: {
    befall: ({ phone }) => Object.assign(phone, { signedIn: false }),
    complaint: "test_push",
    mend: (_, random) => [["sign_in", { method: random.pick(["pin", "biometrics"]) }]],
  },
  locked: {
    befall: ({ phone }) => Object.assign(phone, { signedIn: false, wrongPins: 3, forgotten: true }),
    complaint: "test_push",
    mend: (bank, random) => [...(random.chance(0.4) ? [SIGN_IN] : []), ...resetPin(bank)],
  },
  forgotten: {
    befall: ({ phone }) => Object.assign(phone, { signedIn: false, biometrics: false, wrongPins: 1, forgotten: true }),
    complaint: "test_transfer",
    mend: (bank, random) => [SIGN_IN, ...(random.chance(0.4) ? [SIGN_IN] : []), ...resetPin(bank)],
  },
  oldApp: {
    befall: ({ phone }) => Object.assign(phone, { version: "7.6" }),
    complaint: "test_transfer",
    mend: (_, random) => [random.chance(0.75) ? ["update_app", {}] : ["reinstall_app", {}], SIGN_IN],
  },
  silent: {
    befall: ({ phone }) => Object.assign(phone.permissions, { notifications: false }),
    complaint: "test_push",
    mend: () => [["allow_permission", { permission: "notifications" }]],
  },
  nowhere: {
    befall: (bank) => {
      abroad(bank);
      bank.phone.permissions.location = false;
    },
    complaint: "test_payment",
    mend: () => [["allow_permission", { permission: "location" }]],
  },
  emptyWallet: {
    befall: ({ phone }) => Object.assign(phone, { wallet: "empty" }),
    complaint: "test_payment",
    mend: () => [["add_card_to_wallet", {}]],
  },
  suspendedWallet: {
    befall: ({ phone, card }) => {
      phone.wallet = "suspended";
      card.status = "frozen";
      phone.shown.status = "frozen";
    },
    complaint: "test_payment",
    mend: ({ card: { card_id } }, random) => [
      ...(random.chance(0.4) ? [["add_card_to_wallet", {}] as Ask] : []),
      ["unfreeze_card", { card_id }],
      ["add_card_to_wallet", {}],
    ],
  },
  frozen: {
    befall: ({ card }) => Object.assign(card, { status: "frozen" }),
    complaint: "test_payment",
    mend: ({ card: { card_id } }) => [
      ["unfreeze_card", { card_id }],
      ["refresh_app", {}],
    ],
  },
  lowLimit: {
    befall: ({ card, phone }) => {
      card.daily_limit = card.spent_today + 10;
      phone.shown.limit = card.daily_limit;
    },
    complaint: "test_payment",
    mend: ({ card: { card_id } }, random) => [
      ...(random.chance(0.3) ? [["set_card_limit", { card_id, limit: 6000 }] as Ask] : []),
      ["set_card_limit", { card_id, limit: random.pick([300, 500, 800]) }],
      ["refresh_app", {}],
    ],
  },
  contactless: {
    befall: ({ card }) => Object.assign(card.features, { contactless: false }),
    complaint: "test_payment",
    mend: ({ card: { card_id } }) => [["set_card_feature", { card_id, feature: "contactless", enabled: true }]],
  },
  notAbroad: {
    befall: (bank) => {
      abroad(bank);
      bank.card.features.abroad = false;
    },
    complaint: "test_payment",
    mend: ({ card: { card_id } }) => [["set_card_feature", { card_id, feature: "abroad", enabled: true }]],
  },
  noNotice: {
    befall: (bank) => {
      abroad(bank);
      bank.holder.travel_notice = null;
    },
    complaint: "test_payment",
    mend: (bank, random) => [notice(bank, random)],
  },
  held: {
    befall: ({ transactions, account }) => {
      const last = [...transactions.values()].findLast((row) => row.account_id === account.account_id);
      if (last) last.status = "held";
    },
    complaint: "test_transfer",
    mend: (bank, random) => {
      const transaction_id = heldOf(bank)?.transaction_id ?? "";
      const first = random.chance(0.3) ? [["open_dispute", { transaction_id, reason: "unknown" }] as Ask] : [];
      return [...first, ["check_approvals", {}], ["approve_payment", {}]];
    },
  },
  untrusted: {
    befall: ({ holder }) => Object.assign(holder.devices[0] ?? {}, { trusted: false }),
    complaint: "test_transfer",
    mend: ({ holder: { customer_id, devices } }) => [
      ["trust_device", { customer_id, device_id: devices[0]?.device_id ?? "" }],
    ],
  },
  suspended: {
    befall: ({ holder, phone }) => {
      holder.online_access = "suspended";
      phone.signedIn = false;
    },
    complaint: "test_transfer",
    mend: ({ holder: { customer_id } }, random) => [
      ...(random.chance(0.3) ? [SIGN_IN] : []),
      ["restore_online_access", { customer_id }],
      SIGN_IN,
    ],
  },
  poor: {
    befall: ({ account }) => Object.assign(account, { balance: 12.4 }),
    complaint: "test_payment",
    mend: ({ holder: { account_ids }, account: { account_id } }, random) => [
      ["get_account", { account_id }],
      [
        "move_money",
        { from_account: account_ids.at(-1) ?? "", to_account: account_id, amount: random.pick([40, 100, 9000]) },
      ],
    ],
  },
  clock: {
    befall: ({ phone }) => Object.assign(phone, { automaticTime: false }),
    complaint: "test_transfer",
    mend: () => [["set_time_automatically", {}]],
  },
};
