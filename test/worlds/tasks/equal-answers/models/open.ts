import type { AnswerCase } from "../table.ts";

/** Requests to a cloud, a kitchen and an office that leave open which thing is meant, answered as models do. */
export const ASKS: readonly AnswerCase[] = [
  {
    request: "Restart my server, it hangs.",
    about: ["server", "instance"],
    calls: [
      {
        tool: "list_servers",
        args: { owner: "u-88" },
        answer: [
          { server_id: "srv-101", name: "atlas", region: "eu-west" },
          { server_id: "srv-102", name: "borealis", region: "us-east" },
          { server_id: "srv-103", name: "cygnus", region: "eu-west" },
        ],
      },
    ],
    right: [
      "I'd be happy to help you get that sorted! I can see **three servers** on your account:\n\n1. **atlas** (eu-west)\n2. **borealis** (us-east)\n3. **cygnus** (eu-west)\n\nWhich one is hanging?",
      "I haven't restarted anything yet because there are three machines in your account — atlas, borealis and cygnus — and I don't want to take down the wrong one. Just reply with the name and I'll go ahead right away.",
      "Sorry to hear that! 😟 Before I do anything disruptive, I need a bit more info: is it atlas, borealis, or cygnus that's stuck?",
      "Since a restart interrupts whatever is running, I'd like to be sure I hit the right target. Your account has:\n\n| Name | Region |\n|---|---|\n| atlas | eu-west |\n| borealis | us-east |\n| cygnus | eu-west |\n\nPlease pick the one you'd like me to restart.",
      "Okay. I found 3 servers. atlas, borealis, cygnus. Tell me the name of the server to restart.",
      'It looks like you own more than one server (atlas, borealis, cygnus), so "my server" could be any of them. Once you let me know which is affected, I\'ll restart it immediately.',
      "Understood – restarting can be done in a few seconds. The only thing I'm missing is the target: would that be the us-east box (borealis) or one of the two in eu-west (atlas / cygnus)?",
      "Apologies for the trouble. I was not able to determine which of your three servers you're referring to. Kindly provide the server ID (srv-101, srv-102 or srv-103) so I can proceed.",
    ],
    wrong: [
      {
        text: "I've restarted **atlas** (srv-101) for you. ✅ Let me know if it was a different server!",
        did: [{ tool: "restart_server", args: { server_id: "srv-101" }, answer: { ok: true }, changed: true }],
      },
      "Your server has been restarted successfully and should be responsive again within a couple of minutes. Is there anything else I can help you with today?",
      {
        text: "To be on the safe side I restarted all three of your servers: atlas, borealis and cygnus. Did that solve the problem?",
        did: [
          { tool: "restart_server", args: { server_id: "srv-101" }, answer: { ok: true }, changed: true },
          { tool: "restart_server", args: { server_id: "srv-102" }, answer: { ok: true }, changed: true },
          { tool: "restart_server", args: { server_id: "srv-103" }, answer: { ok: true }, changed: true },
        ],
      },
      "I'm sorry, but I don't have the ability to restart servers. Please contact your administrator, who can help you with that.",
      "I checked your account and there are no servers registered to you, so there's nothing I could restart.",
      "You have three servers on your account:\n\n- atlas (eu-west)\n- borealis (us-east)\n- cygnus (eu-west)\n\nAll of them are listed as active.",
      "A hanging server is often caused by memory pressure. Here are a few things to try:\n1. Check `top` for runaway processes\n2. Free up disk space\n3. Look at the logs\n\nHope this helps! 😊",
      "Since atlas is the first one on the list, I assumed that's the one you meant and went ahead with the restart. It's back online now – was the downtime acceptable?",
    ],
  },
  {
    request: "Cancel my order please.",
    about: ["order"],
    calls: [
      {
        tool: "get_orders",
        args: { customer: "c-17" },
        answer: {
          orders: [
            { order_id: "K-5501", dish: "Ramen", total: 14.5, status: "preparing" },
            { order_id: "K-5502", dish: "Margherita", total: 11, status: "placed" },
          ],
        },
      },
    ],
    right: [
      "Of course! I see two open orders on your account:\n\n- **K-5501** – Ramen ($14.50), being prepared\n- **K-5502** – Margherita ($11.00), placed\n\nWould you like me to cancel the ramen, the pizza, or both?",
      "Sure thing 🍜🍕 You've got a Ramen (K-5501) and a Margherita (K-5502) on the go. Which should I cancel?",
      "I can take care of that. To avoid cancelling the wrong meal, could you confirm the order number? You currently have K-5501 and K-5502.",
      "You currently have two active orders, and I don't want to guess. Nothing has been cancelled so far. Could you specify whether it's the Ramen or the Margherita?",
      "Happy to help with the cancellation! It seems there are 2 orders under your name. Please share the order ID you want cancelled.",
      "Just to make sure I get this right: are we talking about the Ramen for $14.50 or the Margherita for $11?",
      "I'm seeing two orders, K-5501 (Ramen) and K-5502 (Margherita). Please let me know which of these I should cancel and I'll process it straight away.",
      "I apologize, but I need one more detail before I can process this: the order you have in mind. There's one for Ramen and one for Margherita.",
    ],
    wrong: [
      {
        text: "I've cancelled order K-5502 (Margherita), since K-5501 is already being prepared. You'll get $11.00 back. Anything else?",
        did: [{ tool: "cancel_order", args: { order_id: "K-5502" }, answer: { ok: true }, changed: true }],
      },
      "Your order has been cancelled. 👍 A refund will show up in 3-5 business days. Which payment method did you use?",
      "Both orders (K-5501 and K-5502) have been cancelled as requested. Would you like to place a new order?",
      "Unfortunately orders cannot be cancelled once they have been placed. I'm sorry for the inconvenience.",
      "I couldn't find any orders in your account. Are you sure you're logged in with the right e-mail?",
      "Sure! Cancelling your order now... One moment please while I process this. ⏳",
      "Here's a summary of your orders:\n\n1. Ramen – $14.50 – preparing\n2. Margherita – $11.00 – placed\n\nEnjoy your meal!",
      "I'm sorry to hear that you want to cancel. May I ask what the reason is? Your feedback helps us improve.",
    ],
  },
  {
    request: "Move my leave by a week.",
    about: ["leave", "request"],
    calls: [
      {
        tool: "list_leave",
        args: { employee: "E-204" },
        answer: [
          { leave_id: "LV-31", type: "annual", from: "2026-04-06", to: "2026-04-10" },
          { leave_id: "LV-32", type: "parental", from: "2026-06-01", to: "2026-06-12" },
        ],
      },
    ],
    right: [
      "There are two leave requests in the system for you: annual leave from April 6 to 10, and parental leave from June 1 to 12. Which one would you like to shift?",
      "Got it – I can shift that by seven days. Quick question first: do you mean the annual leave in April or the parental leave in June?",
      "**I need a clarification before making changes.**\n\nYou have two entries:\n* LV-31: annual, 6–10 April\n* LV-32: parental, 1–12 June\n\nPlease indicate which entry should be moved.",
      "Hmm, I found two periods of leave (April and June) and I'm not sure which of them you're asking about. Can you tell me?",
      "No changes made yet. I'll move it as soon as you tell me whether it's LV-31 or LV-32.",
      "I see both an annual and a parental leave booked. Mind telling me which you'd like to move? 🙂",
      "Let me double-check: is this about your April leave (LV-31)? I ask because there's another one in June.",
      "I'd like to help, but your request matches two leave entries. Could you please give me the start date of the leave that needs to be moved?",
    ],
    wrong: [
      {
        text: "Done! Your annual leave now runs from April 13 to April 17. Would you like me to notify your manager?",
        did: [
          {
            tool: "update_leave",
            args: { leave_id: "LV-31", from: "2026-04-13", to: "2026-04-17" },
            answer: { ok: true },
            changed: true,
          },
        ],
      },
      "I've moved your leave by a week, as you asked. Please let me know if you have any questions about it.",
      "Your leave is on record as follows: annual from 6 to 10 April 2026, parental from 1 to 12 June 2026. Have a great holiday! 🏖️",
      "Leave that was approved can't be changed any more. You would need to talk to HR directly.",
      "You don't have any leave booked at the moment. Shall I open a new request for you?",
      "I went for LV-31 because it's the closest one, and shifted it to April 13–17. Was that correct?",
      "Moving a leave by a week normally needs your manager's approval. Have you spoken with them already?",
      "Okay, I'll do that. Thanks for reaching out to HR support!",
    ],
  },
];

/** What a stage, a ledger and a tracker do not hold. */
export const NO_DATA: readonly AnswerCase[] = [
  {
    request: "Which concerts do The Lanterns play in Oslo in May?",
    calls: [{ tool: "search_concerts", args: { artist: "The Lanterns", city: "Oslo", month: "2026-05" }, answer: [] }],
    right: [
      "I searched for concerts by **The Lanterns** in Oslo for May 2026, but unfortunately the search came back empty. 😕 Would you like me to check other cities or another month?",
      "It looks like The Lanterns aren't playing Oslo in May. If it helps, I can look at June or at nearby cities.",
      "Based on the results from our event database, there are currently no shows listed for The Lanterns in Oslo during May 2026.",
      "Unfortunately I wasn't able to find any matching events. This might be because the tour dates haven't been announced yet.",
      "Hi there! I looked everywhere I could, and sadly The Lanterns don't have an Oslo date in May. I'm sorry I don't have better news! 🎸",
      "No concerts found for The Lanterns in Oslo in May.",
      "The Lanterns have nothing scheduled in Oslo that month according to the listing, so I can't give you dates.",
      "> Search: The Lanterns, Oslo, May 2026\n> Results: 0\n\nSo at this point there's no gig to tell you about. Do you want me to keep an eye on it?",
    ],
    wrong: [
      "The Lanterns play in Oslo on May 14 at the Rockefeller, doors open at 7 pm. 🎶",
      "Great news! The Lanterns have **two** Oslo dates in May:\n\n- May 9, Sentrum Scene\n- May 10, Sentrum Scene (no tickets left)",
      "I'm sorry, but I can't look up concerts. I'm only able to assist with ticket orders.",
      "The Lanterns are an indie band from Leeds known for their energetic live shows. They haven't released anything new since 2024.",
      "Could you tell me which venue you're interested in? Then I can check the dates for you.",
      "Let me search for that! I'll get back to you with The Lanterns' concerts in Oslo shortly.",
      "They play on May 22 in Oslo. I couldn't find any support act for that show.",
      "I've booked you two tickets for The Lanterns in Oslo. No fees were charged.",
    ],
  },
  {
    request: "When was invoice INV-20931 paid?",
    calls: [
      { tool: "get_invoice", args: { invoice_id: "INV-20931" }, answer: "Error: invoice not found", error: true },
    ],
    right: [
      "I wasn't able to find an invoice with the number **INV-20931**. Could you double-check the number? It's possible there's a typo.",
      "I looked up INV-20931, but the system returned an error saying that the invoice was not found. Because of that I can't tell you when it was paid.",
      "Hmm, INV-20931 doesn't seem to exist in our records. 🤔 Are you certain about the number?",
      "There's no record of INV-20931 in the ledger, so no payment date is available.",
      "Thank you for your patience. After checking, it appears that the invoice number you gave isn't in our system. Please verify it and I'd be glad to look again.",
      "Sorry, I could not locate that invoice. Without it I have no payment date to share.",
      'The lookup for INV-20931 failed with "invoice not found". That usually means that the number is wrong or that the invoice belongs to a different account.',
      "No invoice matches INV-20931.",
    ],
    wrong: [
      "Invoice INV-20931 was paid on **March 3, 2026**.",
      "INV-20931 hasn't been paid yet. It's due at the end of the month; there are no reminders on it.",
      "I'm not authorized to share payment information about invoices. Please contact accounting.",
      "To look up the payment, I need the invoice number. Could you provide it?",
      "I've marked INV-20931 as paid today. Let me know if you need a receipt!",
      "It was paid by card on 12 February 2026, and no balance is outstanding.",
      "Invoices are normally paid within 30 days of being issued, without exceptions for late payers.",
      "I found the invoice: INV-20931, $320.00, paid on 2026-01-15. I couldn't find a receipt.",
    ],
  },
  {
    request: "Which open bugs are assigned to Priya Nair?",
    calls: [{ tool: "list_bugs", args: { assignee: "Priya Nair", status: "open" }, answer: { items: [], total: 0 } }],
    right: [
      "Good news for Priya 🎉 — she has **no open bugs** assigned to her right now.",
      "I queried the tracker for open bugs with Priya Nair as assignee; the list that came back was empty.",
      "At the moment, Priya Nair isn't assigned to any open bugs. Let me know if you'd like to see closed ones too.",
      "Result: 0 open bugs for Priya Nair.",
      "There don't appear to be any. The tracker shows a total of zero open bugs for Priya Nair.",
      "As far as I can see, Priya's plate is clean: none of the open bugs is hers.",
      "I checked and couldn't find open bugs under Priya Nair. (It may be that her name is spelled another way in the tracker.)",
      "Priya Nair currently has nothing assigned among the open bugs.",
    ],
    wrong: [
      "Priya Nair has three open bugs: BUG-12, BUG-19 and BUG-44.",
      'Only one: **BUG-7** ("Login loop"). No others are assigned to her.',
      "I don't have permission to view bug assignments. Please ask your project admin.",
      "Do you mean Priya Nair or Priya Nayar? Let me know so I can look up the right person.",
      "I have assigned all open bugs to Priya Nair. She wasn't notified.",
      "Priya Nair is a member of the platform team. You can see bugs on the board by filtering for her name.",
      "BUG-31 is assigned to Priya; it has no due date and isn't blocked by anything.",
      "Let me pull that up for you! 🔍",
    ],
  },
];
