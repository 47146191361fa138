import type { JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "../services.ts";

const NAMES = ["ada", "bo", "cy", "dot", "eli", "fay", "gus", "hal"];

/** A club whose members have one address each; a badge is the same for none but its owner. Every session starts alike. */
export class Roster implements Service {
  readonly tools = ["list_members", "get_member", "add_member", "swap_badges"];
  private readonly members = NAMES.map((name, i) => ({
    member_id: `mem-${(0xa3f1 + i * 0x1d37).toString(16)}`,
    address: `${name}@club.example`,
    since: 2000 + i,
  }));
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  call(tool: string, { member_id, address, other_id }: JsonObject): Answered {
    if (tool === "list_members") return data({ members: this.members });
    if (tool === "swap_badges") return refused("A member cannot swap with themself.");
    if (tool === "get_member") {
      const found = this.members.find((one) => one.member_id === (member_id ?? other_id));
      return found ? data(found) : refused(`There is no member ${String(member_id)}.`);
    }
    if (address === "nobody") return refused("That is no address.");
    const owner = this.members.find((one) => one.address === address);
    if (owner) return refused(`That address is ${owner.member_id}'s.`);
    const made = {
      member_id: `mem-${this.random.int(0x1000, 0xffff).toString(16)}`,
      address: String(address),
      since: 2031,
    };
    this.members.push(made);
    return data(made);
  }

  ask(random: Random): Asked {
    const { member_id } = random.pick(this.members);
    const address = random.chance(0.2)
      ? "nobody"
      : random.chance(0.4)
        ? random.pick(this.members).address
        : `${random.pick(NAMES)}.${random.int(1, 400)}@new.example`;
    const asked: readonly Asked[] = [
      ["list_members", {}],
      ["get_member", { member_id }],
      ["add_member", { address }],
      ["add_member", { address }],
      ["swap_badges", { member_id, other_id: member_id }],
    ];
    return random.pick(asked);
  }
}
