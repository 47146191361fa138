import { type Bank, cardShown, cents, heldOf, type Permission, Refusal, type Tool } from "./bank.ts";

const NEWEST = "8.1";
const MOST_PINS = 3;
/** What a test payment costs. */
const TEST_PRICE = 30;
const onOff = (on: boolean): string => (on ? "on" : "off");
const eur = (amount: number): string => `${amount.toFixed(2)} EUR`;

const connected = ({ phone: { airplane, wifi, data, abroad, roaming } }: Bank): boolean =>
  wifi || (!airplane && data && (!abroad || roaming));

/** The line at the top of the phone. */
function statusLine(bank: Bank): string {
  const { airplane, wifi, abroad, vpn, nfc, signedIn } = bank.phone;
  const parts = airplane ? ["Airplane"] : [];
  if (connected(bank)) parts.push(wifi ? "Wi-Fi" : abroad ? "4G roaming" : "4G");
  else if (!airplane) parts.push("no connection");
  if (vpn) parts.push("VPN");
  if (nfc) parts.push("NFC");
  return `Status bar: ${parts.join(", ") || "empty"}; bank app ${signedIn ? "signed in" : "signed out"}`;
}

function needsConnection(bank: Bank): void {
  if (!connected(bank)) throw new Refusal("The phone has no internet connection.");
}

function needsSignIn({ phone }: Bank): void {
  if (!phone.signedIn) throw new Refusal("Please sign in to the app first.");
}

const trusted = ({ holder }: Bank): boolean => holder.devices[0]?.trusted === true;

function whyNotPaid(bank: Bank): string | undefined {
  const { phone, holder, card, account } = bank;
  if (!phone.nfc) return "NFC is off";
  if (phone.wallet === "empty") return "there is no card in the wallet";
  if (phone.wallet === "suspended") return "the wallet card is suspended";
  if (card.status !== "active" || !card.features.contactless) return "the bank refused the card";
  if (phone.abroad && !(card.features.abroad && holder.travel_notice)) return "the card is not cleared for abroad";
  if (phone.abroad && !phone.permissions.location) return "the location could not be confirmed";
  if (card.daily_limit - card.spent_today < TEST_PRICE) return "the daily limit is reached";
  return account.balance < TEST_PRICE ? "insufficient funds" : undefined;
}

function whyNotSent(bank: Bank): string | undefined {
  const { phone, account } = bank;
  if (!connected(bank)) return "no internet connection";
  if (!phone.signedIn) return "signed out";
  if (phone.vpn) return "blocked because of a VPN";
  if (phone.version !== NEWEST) return "the app is too old";
  if (!trusted(bank)) return "this device is not trusted";
  if (!phone.automaticTime) return "the security code was wrong";
  if (heldOf(bank)) return "another payment waits for approval";
  return account.balance < TEST_PRICE ? "insufficient funds" : undefined;
}

function diagnosis(bank: Bank): string {
  const { phone, holder } = bank;
  const problems = [
    ...(connected(bank) ? [] : ["no internet"]),
    ...(phone.version === NEWEST ? [] : ["app out of date"]),
    ...(phone.permissions.notifications && phone.permissions.location ? [] : ["a permission is missing"]),
    ...(phone.automaticTime ? [] : ["clock is set by hand"]),
    ...(connected(bank) && holder.online_access !== "enabled" ? ["account needs attention"] : []),
  ];
  return [`Diagnosis: ${problems.length} problems`, ...problems.map((problem) => `- ${problem}`)].join("\n");
}

function cardScreen({ phone, card }: Bank): string {
  return `Card ending ${card.last4}\nState: ${phone.shown.status}\nDaily limit: ${eur(phone.shown.limit)}`;
}

/** What the customer sees on the phone: no argument names it. */
const LOOKS: Record<string, Tool> = {
  look_at_status_bar: statusLine,
  check_connection: ({ phone }) =>
    `Airplane mode: ${onOff(phone.airplane)}\nWi-Fi: ${onOff(phone.wifi)}\nMobile data: ${onOff(phone.data)}\nRoaming: ${onOff(phone.roaming)}\nNetwork: ${phone.airplane ? "none" : phone.abroad ? "partner abroad" : "home"}\nVPN: ${onOff(phone.vpn)}`,
  check_app: ({ phone }) =>
    `Bank app ${phone.version}\n${phone.version === NEWEST ? "Up to date" : "Update available"}`,
  check_sign_in: ({ phone }) =>
    `Signed in: ${phone.signedIn ? "yes" : "no"}\nPIN attempts left: ${MOST_PINS - phone.wrongPins}\nBiometrics: ${onOff(phone.biometrics)}`,
  check_card_screen: (bank) => {
    needsSignIn(bank);
    return cardScreen(bank);
  },
  check_permission: ({ phone }, { permission }) => {
    const allowed = phone.permissions[permission as Permission];
    if (allowed === undefined) throw new Refusal(`The app never asks for ${String(permission)}.`);
    return `${String(permission)}: ${allowed ? "allowed" : "not allowed"}`;
  },
  check_wallet: ({ phone }) =>
    `NFC: ${onOff(phone.nfc)}\nWallet card: ${phone.wallet === "empty" ? "none" : phone.wallet}`,
  check_clock: ({ phone }) => `Time is set ${phone.automaticTime ? "automatically" : "by hand"}.`,
  check_approvals: (bank) => {
    needsSignIn(bank);
    const held = heldOf(bank);
    return held ? `Waiting for you:\n${held.merchant}\n${eur(held.amount)}` : "Nothing is waiting.";
  },
  run_diagnosis: diagnosis,
  test_payment: (bank) => {
    const why = whyNotPaid(bank);
    return why ? `Payment declined: ${why}.` : `Payment of ${eur(TEST_PRICE)} would be accepted.`;
  },
  test_transfer: (bank) => {
    const why = whyNotSent(bank);
    return why ? `Transfer failed: ${why}.` : "Transfer check passed.";
  },
  test_push: (bank) => {
    const { permissions, signedIn } = bank.phone;
    return connected(bank) && permissions.notifications && signedIn ? "Test message arrived." : "No message arrived.";
  },
};

type Switch = "airplane" | "wifi" | "data" | "roaming" | "vpn" | "nfc";
function switched(bank: Bank, name: Switch, words: string): string {
  const { phone } = bank;
  if (phone.airplane && (name === "data" || name === "roaming"))
    throw new Refusal("This cannot be changed in airplane mode.");
  phone[name] = !phone[name];
  if (name === "airplane" && phone.airplane) phone.wifi = false;
  return `${words} turned ${onOff(phone[name])}.\n${statusLine(bank)}`;
}

function signIn(bank: Bank, method: string): string {
  const { phone, holder, card } = bank;
  needsConnection(bank);
  if (phone.signedIn) throw new Refusal("You are signed in already.");
  if (phone.vpn) throw new Refusal("Sign-in is blocked while a VPN is on.");
  if (holder.online_access === "suspended") throw new Refusal("Your online access is suspended. Contact the bank.");
  if (phone.wrongPins >= MOST_PINS) throw new Refusal("Sign-in is locked after too many wrong PINs.");
  if (method === "biometrics" && !phone.biometrics) throw new Refusal("Biometrics are not set up.");
  if (method === "pin" && phone.forgotten) {
    phone.wrongPins++;
    throw new Refusal(`Wrong PIN. ${MOST_PINS - phone.wrongPins} attempts left.`);
  }
  Object.assign(phone, { signedIn: true, wrongPins: 0, shown: cardShown(card) });
  return `Signed in.\n${statusLine(bank)}`;
}

/** What the customer does on the phone. */
const ACTS: Record<string, Tool> = {
  toggle_airplane_mode: (bank) => switched(bank, "airplane", "Airplane mode"),
  toggle_wifi: (bank) => switched(bank, "wifi", "Wi-Fi"),
  toggle_mobile_data: (bank) => switched(bank, "data", "Mobile data"),
  toggle_roaming: (bank) => switched(bank, "roaming", "Roaming"),
  toggle_vpn: (bank) => switched(bank, "vpn", "VPN"),
  toggle_nfc: (bank) => switched(bank, "nfc", "NFC"),
  toggle_biometrics: (bank) => {
    needsSignIn(bank);
    bank.phone.biometrics = !bank.phone.biometrics;
    return `Biometric sign-in is ${onOff(bank.phone.biometrics)}.`;
  },
  set_time_automatically: ({ phone }) => {
    if (phone.automaticTime) throw new Refusal("Time is set automatically already.");
    phone.automaticTime = true;
    return "Time is now set automatically.";
  },
  allow_permission: ({ phone }, { permission }) => {
    if (!(String(permission) in phone.permissions)) throw new Refusal(`The app never asks for ${String(permission)}.`);
    phone.permissions[permission as Permission] = true;
    return `The bank app may now use ${String(permission)}.`;
  },
  sign_in: (bank, { method }) => signIn(bank, String(method)),
  choose_new_pin: (bank) => {
    needsConnection(bank);
    if (bank.holder.online_access !== "reset_pending") throw new Refusal("The bank has not reset your PIN.");
    bank.holder.online_access = "enabled";
    Object.assign(bank.phone, { wrongPins: 0, forgotten: false });
    return "Your new PIN is set. Please sign in.";
  },
  refresh_app: (bank) => {
    needsConnection(bank);
    needsSignIn(bank);
    bank.phone.shown = cardShown(bank.card);
    return `Refreshed.\n${cardScreen(bank)}`;
  },
  update_app: (bank) => {
    needsConnection(bank);
    if (bank.phone.version === NEWEST) throw new Refusal("The app is up to date.");
    Object.assign(bank.phone, { version: NEWEST, signedIn: false });
    return `Updated to ${NEWEST}.\n${statusLine(bank)}`;
  },
  reinstall_app: (bank) => {
    needsConnection(bank);
    const permissions = { notifications: false, location: false, camera: false };
    Object.assign(bank.phone, { version: NEWEST, signedIn: false, biometrics: false, wallet: "empty", permissions });
    return `The app was installed again.\n${statusLine(bank)}`;
  },
  restart_phone: (bank) => {
    Object.assign(bank.phone, { vpn: false, signedIn: false });
    return `The phone was restarted.\n${statusLine(bank)}`;
  },
  add_card_to_wallet: (bank) => {
    needsSignIn(bank);
    if (bank.phone.wallet === "ready") throw new Refusal("The card is in the wallet already.");
    if (bank.card.status !== "active") throw new Refusal("The bank refused to add the card.");
    bank.phone.wallet = "ready";
    return `Card ending ${bank.card.last4} was added to the wallet.`;
  },
  approve_payment: (bank) => {
    needsSignIn(bank);
    const held = heldOf(bank);
    if (!held) throw new Refusal("Nothing is waiting for approval.");
    held.status = "posted";
    bank.account.balance = cents(bank.account.balance - held.amount);
    return `You approved ${eur(held.amount)} to ${held.merchant}.`;
  },
};

/** Every tool of the customer's phone. */
export const PHONE: Record<string, Tool> = { ...LOOKS, ...ACTS };
