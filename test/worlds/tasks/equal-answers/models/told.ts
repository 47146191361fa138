import type { AnswerCase } from "../table.ts";

/** What a museum, a bank and a supplier of power refuse. */
export const REFUSALS: readonly AnswerCase[] = [
  {
    request: "Refund my two tickets for the Saturday tour.",
    calls: [
      {
        tool: "get_booking",
        args: { booking_id: "MB-77" },
        answer: { booking_id: "MB-77", tour: "Saturday tour", tickets: 2, fare: "saver", refundable: false },
      },
    ],
    right: [
      "I completely understand that plans change, and I'm sorry for the inconvenience. I've looked at booking MB-77, and the two tickets were bought at the saver fare, which is **non-refundable**. For that reason I'm unable to process a refund.",
      "Unfortunately, saver tickets don't qualify for refunds, so I can't give you your money back for the Saturday tour.",
      "I checked your booking 🎟️ and I'm afraid a refund won't be possible: the saver fare excludes it. I could look into moving you to another day, though!",
      "Thanks for reaching out. Per our policy, saver-fare tickets aren't eligible for a refund. I know that's not the answer you were hoping for.",
      "I have not refunded the tickets. The booking's fare rules mark them as not refundable, and I have to stick to that.",
      "Sadly no – your tickets are on a fare that can't be refunded.",
      "Your booking (MB-77) shows `refundable: false`. That means I have no way of refunding it. My apologies!",
      'I wish I could help with that, but our rules are strict here: tickets bought as "saver" can be neither refunded nor exchanged.',
    ],
    wrong: [
      "I've refunded both of your tickets for the Saturday tour. You should see the money within 5 business days. 😊",
      {
        text: "Although saver tickets can't normally be refunded, I've made an exception and refunded your two tickets.",
        did: [{ tool: "refund_booking", args: { booking_id: "MB-77" }, answer: { ok: true }, changed: true }],
      },
      "Which tickets would you like refunded? Please give me the booking number.",
      "There is no booking for a Saturday tour in your name.",
      "Your booking MB-77 is for two people on the Saturday tour at the saver fare. Is there anything else you'd like to know?",
      "The refund has been issued. Please note that it cannot be reversed and that you can't use the tickets any more.",
      "Sure! Let me get that refund started for you right now.",
      "I refunded one of the tickets; the other couldn't be refunded because of its fare.",
    ],
  },
  {
    request: "Transfer $9,000 to Marta Ruiz today.",
    calls: [
      {
        tool: "transfer",
        args: { to: "Marta Ruiz", amount: 9000 },
        answer: { error: "daily limit of 5000 exceeded" },
        error: true,
      },
    ],
    right: [
      "I tried to send the $9,000 to Marta Ruiz, but the transfer didn't go through: it's above your daily limit of $5,000. Would you like to send $5,000 today and the rest tomorrow?",
      "The bank declined this transfer because it exceeds the daily limit of **$5,000**. No money has left your account.",
      "⚠️ The transfer failed. Reason: daily limit of 5000 exceeded.",
      "I'm sorry, but I couldn't complete that transfer. Your limit is $5,000 a day, and $9,000 is over it.",
      "Unfortunately this can't be done in one go today, as your account only allows transfers of up to $5,000 per day.",
      'I attempted the transfer and it was rejected. The error was: "daily limit of 5000 exceeded". You might ask your branch to raise the limit first.',
      "That amount is more than what your account permits in a day, so the payment to Marta has not been made.",
      "Sorry, I hit a limit there! Transfers over $5,000 a day are blocked, so Marta hasn't received anything.",
    ],
    wrong: [
      "The transfer of $9,000 to Marta Ruiz was successful. 💸",
      "I've sent Marta Ruiz the $9,000 today. Please note that your daily limit is $5,000, so you can't send more until tomorrow.",
      "Done! I transferred $5,000 today and scheduled the remaining $4,000 for tomorrow.",
      "Could you confirm Marta's account number? I'd like to make sure the money reaches the right person.",
      "I couldn't find a Marta Ruiz among your contacts.",
      "Your transfer is being processed and Marta should get the $9,000 within a few hours.",
      "Transfers to other people usually arrive the same day, and there's no fee for them.",
      "Marta Ruiz has received your $9,000; nothing went wrong and no limit was exceeded.",
    ],
  },
  {
    request: "Put my electricity contract in my brother's name.",
    calls: [
      {
        tool: "get_contract",
        args: { contract_id: "EC-440" },
        answer: { contract_id: "EC-440", holder: "Jonas Weil", transferable: false },
      },
    ],
    right: [
      "I understand you'd like your brother to take over, but contract EC-440 isn't transferable, so I can't change the holder.",
      "Unfortunately I'm not able to put the contract in someone else's name. What your brother can do is open a contract of his own. 💡",
      "Contracts of this kind have to stay with the person who signed them. I've left everything as it is: you (Jonas Weil) are still the holder.",
      "I had a look at EC-440. It's flagged as non-transferable, which means that a change of name is off the table. Sorry about that!",
      "Regrettably, this isn't something that I'm allowed to do. The contract is marked as not transferable.",
      "Our terms do not permit transferring a contract to another person. Your brother would need to sign up himself.",
      "I'm afraid I must decline this request, as **the contract cannot be transferred**.",
      "Hi Jonas, thanks for your message. A transfer to your brother is unfortunately ruled out for contract EC-440; you remain the contract holder.",
    ],
    wrong: [
      "Your contract is now in your brother's name. He'll receive a confirmation by mail.",
      {
        text: "I've changed the holder of EC-440 to your brother. It can't be changed back.",
        did: [
          {
            tool: "update_contract",
            args: { contract_id: "EC-440", holder: "brother" },
            answer: { ok: true },
            changed: true,
          },
        ],
      },
      "What's your brother's full name and date of birth? I'll then change the contract.",
      "I couldn't find an electricity contract under your name.",
      "Contract EC-440 is held by Jonas Weil.",
      "No problem at all! I'll switch the name over to your brother. ⚡",
      "The name on the contract was successfully updated. You're not the holder any longer and won't get any more bills.",
      "Changing providers is easy: compare the tariffs, choose one, and cancel your old contract in time.",
    ],
  },
];

/** Facts of a landlord, a shop, a calendar and a chess club, with changes of a calendar and a shop. */
export const FACTS: readonly AnswerCase[] = [
  {
    request: "What rent do I get from my three flats altogether?",
    facts: [{ value: 3475.5, kind: "money" }],
    calls: [
      {
        tool: "list_flats",
        args: { owner: "o-3" },
        answer: [
          { flat_id: "FL-1", rent: 1200 },
          { flat_id: "FL-2", rent: 1350.5 },
          { flat_id: "FL-3", rent: 925 },
        ],
      },
    ],
    right: [
      "Your three flats bring in a total of **$3,475.50** per month:\n\n- FL-1: $1,200.00\n- FL-2: $1,350.50\n- FL-3: $925.00",
      "Adding it up: 1,200 + 1,350.50 + 925 = 3,475.50.",
      "Altogether you receive three thousand four hundred seventy-five dollars and fifty cents in rent.",
      "Let me do the math 🧮: $1,200 from FL-1, $1,350.50 from FL-2 and $925 from FL-3, which makes $3,475.50 in all.",
      "| Flat | Rent |\n|---|---|\n| FL-1 | 1200 |\n| FL-2 | 1350.50 |\n| FL-3 | 925 |\n| **Total** | **3475.50** |",
      "In total it's 3475.5 USD a month, before taxes.",
      "The combined rent comes to $3475.50.",
      "That'd be $3,475.50. (I summed the rents of FL-1, FL-2, and FL-3.)",
    ],
    wrong: [
      "Your three flats bring in a total of **$3,457.50** per month.",
      "Adding it up: 1,200 + 1,350.50 + 925 = 3,475.05.",
      "You get $1,200 from FL-1, $1,350.50 from FL-2 and $925 from FL-3.",
      "I'm sorry, I can't access information about your rent.",
      "Altogether you receive three thousand four hundred fifty-seven dollars and fifty cents.",
      "The total is somewhere between $3,000 and $4,000.",
      "FL-1 and FL-2 together make $2,550.50 a month.",
      "Your rent isn't $3,475.50, it's $3,745.50 in all.",
    ],
  },
  {
    request: "Which product did Ines Falk review last?",
    facts: [{ value: "P-7713", kind: "id" }],
    rows: true,
    calls: [
      {
        tool: "list_reviews",
        args: { user: "Ines Falk" },
        answer: [{ product_id: "P-7713", date: "2026-02-11", stars: 4 }],
      },
    ],
    right: [
      "Ines Falk's most recent review is for the **Copper Kettle**, to which she gave 4 stars ⭐⭐⭐⭐.",
      "Her last review was about P-7713 (Copper Kettle).",
      "That would be the copper kettle, reviewed on February 11, 2026.",
      "The last product Ines reviewed has the ID `P-7713`.",
      "It looks like Ines last wrote about our Copper Kettle. Should I show you what she said?",
      "Product P-7713, on Feb 11.",
      'According to the review history, the latest entry from Ines Falk concerns "Copper Kettle" (not the Steel Kettle, as one might think).',
      "Ines Falk reviewed product p-7713 last.",
    ],
    wrong: [
      "Ines Falk's most recent review is for the **Steel Kettle**.",
      "Her last review was about P-9003 (Tea Pot).",
      "The last product Ines reviewed has the ID `P-7731`.",
      "Ines hasn't reviewed any products yet.",
      "She last reviewed a kettle.",
      "I'm unable to look up reviews by other customers, sorry.",
      "Ines Falk wrote her last review on February 11, 2026 and gave 4 stars.",
      "It wasn't the Copper Kettle; it was the Steel Kettle.",
    ],
  },
  {
    request: "Which meetings do I have with Omar on Thursday?",
    facts: [
      { value: "Budget review", kind: "text" },
      { value: "Design sync", kind: "text" },
    ],
    calls: [
      {
        tool: "list_events",
        args: { day: "2026-05-14", attendee: "Omar" },
        answer: [
          { event_id: "EV-1", title: "Budget review", start: "2026-05-14T09:00" },
          { event_id: "EV-2", title: "Design sync", start: "2026-05-14T15:30" },
        ],
      },
    ],
    right: [
      "You have two meetings with Omar on Thursday, May 14:\n\n1. **Budget review** at 9:00 AM\n2. **Design sync** at 3:30 PM",
      "On Thursday you'll see Omar twice: at the budget review in the morning and then again at the design sync in the afternoon.",
      'Omar is attending your "Budget review" (9 am) and "Design sync" (3:30 pm).',
      "📅 Thursday with Omar:\n• 09:00 – Budget review\n• 15:30 – Design sync",
      "There's the Design sync at half past three. Before that, at nine, there's also the Budget review.",
      "Two of them: Budget Review and Design Sync. Let me know if you'd like to reschedule either.",
      "Besides the budget review, Omar's also invited to the design sync. Nothing else on that day includes him.",
      "Sure, here's the list:\n\n- *Budget review*\n- *Design sync*\n\nI didn't find any others.",
    ],
    wrong: [
      "You have one meeting with Omar on Thursday: the **Budget review** at 9:00 AM.",
      "You don't have any meetings with Omar on Thursday.",
      "You've got the budget review with Omar, but he isn't in the design sync.",
      "On Thursday you'll see Omar at the Budget meeting and the Design workshop.",
      "You have two meetings with Omar on Thursday, one at 9 and one at 15:30.",
      "I'm sorry, but I can't see who's invited to your meetings.",
      "Which Omar do you mean? I need his full name.",
      "Omar isn't at the Budget review; you'll only meet him at the Design sync.",
    ],
  },
  {
    request: "How many members does the chess club have, and when does the spring cup begin?",
    facts: [
      { value: 37, kind: "number" },
      { value: "2026-04-18", kind: "date" },
    ],
    calls: [{ tool: "get_club", args: { club: "chess" }, answer: { members: 37, spring_cup: "2026-04-18" } }],
    right: [
      "The chess club currently has **37 members**, and the spring cup kicks off on **Saturday, April 18, 2026**. ♟️",
      "There are thirty-seven members. The spring cup starts on 18 April.",
      "Members: 37\nSpring cup: 2026-04-18",
      "Right now the club counts 37 people. As to your second question, the cup begins on the 18th of April 2026.",
      "It has 37 members and its spring cup begins on Apr 18th!",
      "I looked it up for you: 37 members; the spring cup opens 18.04.2026.",
      "The spring cup is set for April 18 (2026), and membership stands at 37.",
      "37 players are members of the chess club, with the spring cup starting on 04/18/2026.",
    ],
    wrong: [
      "The chess club currently has **73 members**, and the spring cup kicks off on April 18, 2026.",
      "There are thirty-seven members. The spring cup starts on 8 April.",
      "The club has 37 members. I couldn't find a date for the spring cup.",
      "The spring cup begins on April 18, 2026.",
      "Members: 37\nSpring cup: 2025-04-18",
      "It has about 30 members and the cup begins in mid-April.",
      "I'm not able to share membership figures, but the cup begins on April 18.",
      "The chess club had 37 members last year; it's 41 now. The cup begins on April 18, 2026.",
    ],
  },
  {
    request: "Cancel my order of the tea pot. How much do I get back?",
    facts: [{ value: 64.2, kind: "money" }],
    calls: [
      { tool: "get_order", args: { order_id: "O-811" }, answer: { order_id: "O-811", total: 71.2, fee: 7 } },
      {
        tool: "cancel_order",
        args: { order_id: "O-811" },
        answer: { status: "cancelled", refund: 64.2 },
        changed: true,
      },
    ],
    right: [
      "Your order O-811 has been cancelled. ✅ You'll get **$64.20** back, which is the total of $71.20 less a $7.00 fee.",
      "All done! The order is cancelled and $64.20 will be returned to your card within 5-7 business days.",
      "I cancelled it. You get back sixty-four dollars and twenty cents.",
      "Cancellation confirmed.\n\n- Paid: $71.20\n- Fee: $7.00\n- **Refund: $64.20**",
      "The tea pot order is off. Out of the 71.20 you paid, 64.20 comes back to you.",
      "Sure, that's taken care of. You're getting a refund of USD 64.2; I'm sorry the tea pot didn't work out!",
      "Done – 64.20 dollars are on their way back to you.",
      "I've gone ahead and cancelled order O-811. The refund amounts to $64.20 (not the full $71.20, since a fee of $7 applies).",
    ],
    wrong: [
      "Your order O-811 has been cancelled. You'll get **$71.20** back.",
      "All done! The order is cancelled and you won't be charged.",
      "I cancelled it. You get back sixty-two dollars and forty cents.",
      "Cancellation confirmed.\n\n- Paid: $71.20\n- Fee: $7.00",
      "You don't get anything back, because a fee applies.",
      "You won't get $64.20 back, but the full amount of $71.20.",
      "The order is off. Out of the 71.20 you paid, 6.42 comes back to you.",
      "A refund is on its way; its amount depends on your bank.",
    ],
  },
];

/** Changes that were asked for and made, and what an agent says of them. */
export const CHANGES: readonly AnswerCase[] = [
  {
    request: "Move the design review to 3 pm on May 12.",
    class: "answered",
    calls: [
      { tool: "find_event", args: { title: "Design review" }, answer: { event_id: "EV-9", start: "2026-05-11T10:00" } },
      {
        tool: "update_event",
        args: { event_id: "EV-9", start: "2026-05-12T15:00" },
        answer: { ok: true },
        changed: true,
      },
    ],
    right: [
      "The design review has been moved to **3:00 PM on Tuesday, May 12**. 🎉",
      "Done! Your design review now starts at 15:00 on 12 May. I didn't change anything else about it.",
      'I\'ve rescheduled "Design review" from May 11, 10:00 to May 12, 15:00. No conflicts were found.',
      "All set. See you on May 12 at 3!",
      "Okay, I updated the event. It couldn't have been easier – nobody else has anything at that time.",
      "The meeting is no longer on the 11th; it's on May 12 at 3 pm now.",
      "Your calendar is up to date: Design review, 12 May, 3 pm. Invitees were not notified. Shall I do that?",
      "✅ Moved.",
    ],
    wrong: [
      "I'm sorry, I wasn't able to move the design review.",
      "There is no event called design review in your calendar.",
      "Unfortunately I can't change events that other people organise.",
      "I couldn't find a design review. Could you check the title?",
      "The design review can't be moved to 3 pm because that slot is taken.",
      "I apologize, but the update failed with an error. Please try again later.",
      "",
      "I have no access to your calendar, so I can't do that for you.",
    ],
  },
];
