import type { Declarations } from "../../declare.ts";

const text = (description: string) => ({ type: "string", description });
const day = (description: string) => ({ type: "string", description: `${description}, as YYYY-MM-DD.` });
const schema = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

const MEMBER = text("The member's id.");
const CHORE = text("The chore's id.");
const ITEM = text("The pantry item's id.");
const APPOINTMENT = text("The appointment's id.");

/** The household's tools, each with what it does in the behaviour language. */
export const householdTools: NonNullable<Declarations["added_tools"]> = [
  {
    name: "list_members",
    description: "List the people of the household with their ids.",
    input_schema: schema({}),
    behaviour: "list members order by member_id as {member_id, name, role}",
  },
  {
    name: "get_member",
    description: "Get a person of the household: name, role and phone number.",
    input_schema: schema({ member_id: MEMBER }),
    behaviour: 'read members by member_id else error "Error: no such member"',
  },
  {
    name: "list_chores",
    description: "List chores: all of them, or those of one person or with one status.",
    input_schema: schema({ member_id: MEMBER, status: { type: "string", enum: ["open", "done"] } }, []),
    behaviour:
      "list chores where (!has(args.member_id) || row.member_id == args.member_id) && (!has(args.status) || row.status == args.status) order by chore_id as {chore_id, title, member_id, status}",
  },
  {
    name: "get_chore",
    description: "Get a chore: room, who does it, when it is due, how many minutes it takes and whether it is done.",
    input_schema: schema({ chore_id: CHORE }),
    behaviour: 'read chores by chore_id else error "Error: no such chore"',
  },
  {
    name: "complete_chore",
    description: "Mark an open chore as done.",
    input_schema: schema({ chore_id: CHORE }),
    behaviour:
      'update chores by chore_id set status = "done" require row.status == "open" else error "Error: the chore is done already" else error "Error: no such chore"',
  },
  {
    name: "reassign_chore",
    description: "Give an open chore to another person of the household.",
    input_schema: schema({ chore_id: CHORE, member_id: MEMBER }),
    behaviour:
      'update chores by chore_id set member_id = {member_id} require row.status == "open" else error "Error: the chore is done already" require rows(members).exists(m, m.member_id == args.member_id) else error "Error: no such member" else error "Error: no such chore"',
  },
  {
    name: "list_pantry",
    description: "List what is in the pantry: everything, or one shelf.",
    input_schema: schema({ shelf: { type: "string", enum: ["dry goods", "tins", "fridge"] } }, []),
    behaviour:
      "list pantry where !has(args.shelf) || row.shelf == args.shelf order by item_id as {item_id, name, shelf}",
  },
  {
    name: "get_item",
    description: "Get a pantry item: how much there is of it and until when it keeps.",
    input_schema: schema({ item_id: ITEM }),
    behaviour: 'read pantry by item_id else error "Error: no such item"',
  },
  {
    name: "use_item",
    description: "Take some of a pantry item.",
    input_schema: schema({ item_id: ITEM, quantity: { type: "integer", minimum: 1, description: "How much." } }),
    behaviour:
      'update pantry by item_id set quantity -= {quantity} require row.quantity >= args.quantity else error "Error: there is not that much of it" else error "Error: no such item"',
  },
  {
    name: "list_appointments",
    description: "List the appointments of one person.",
    input_schema: schema({ member_id: MEMBER }),
    behaviour:
      "list appointments where row.member_id == args.member_id order by appointment_id as {appointment_id, title, status}",
  },
  {
    name: "get_appointment",
    description: "Get an appointment: whose it is, its day and its time.",
    input_schema: schema({ appointment_id: APPOINTMENT }),
    behaviour: 'read appointments by appointment_id else error "Error: no such appointment"',
  },
  {
    name: "move_appointment",
    description: "Move a planned appointment to another day.",
    input_schema: schema({ appointment_id: APPOINTMENT, on: day("The new day") }),
    behaviour:
      'update appointments by appointment_id set on = {on} require row.status == "planned" else error "Error: the appointment is not planned any more" else error "Error: no such appointment"',
  },
  {
    name: "cancel_appointment",
    description: "Cancel a planned appointment.",
    input_schema: schema({ appointment_id: APPOINTMENT }),
    behaviour:
      'update appointments by appointment_id set status = "cancelled" require row.status == "planned" else error "Error: the appointment is not planned any more" else error "Error: no such appointment"',
  },
];
