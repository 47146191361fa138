import type { Json } from "../../json.ts";
import { leaves } from "../leaves.ts";
import type { AnswerClass } from "../schema.ts";
import { namesRequest, saysAbsent } from "./absence.ts";
import { claimsDone } from "./claims.ts";
import { Reading } from "./facts.ts";
import { type Judgement, met, notDecided, notMet } from "./judgement.ts";
import { isNegated } from "./negation.ts";
import { type AnswerContext, vocabularyOf } from "./request-words.ts";
import { fold, singular, tokens } from "./words.ts";

const NO_DATA =
  /\b(?:(?:could not|couldn't|can not|cannot|can't|did not|didn't|do not|don't|unable to|not able to|failed to) (?:find|locate|see|identify|match)\b|(?:does not|doesn't|do not|don't|did not|didn't) (?:seem to |appear to )?(?:exist|match any|have any|show any|return any|contain any)|(?:was|were|is|are)(?: not|n't) (?:found|on file|on record|recorded|listed|in (?:our|the|my) (?:system|records))|not found|nothing (?:found|matches|matching|on file|recorded|came up)|(?:no|zero) (?:[\p{L}\p{N}#'-]+ ){0,6}(?:found|exists?|exist|matches|match|matching|on file|on record|recorded|available|listed|results?)\b|there (?:is|are|was|were) (?:no|none|not any)\b|(?:has|have|had) no\b|no (?:such|matching) |none (?:of|found|on|exist|match|are|were|is)|found (?:nothing|none|no)\b|(?:isn't|aren't|wasn't|weren't) any\b|not (?:located|in (?:our|the|my) (?:system|records))|no (?:[\p{L}#'-]+ ){1,3}(?:with|by|under|for) (?:that|this|the given)\b)/u;
const INABILITY =
  /\b(?:(?:i|we)(?:'m| am|'re| are| was| were)? ?(?:sorry,? (?:but )?)?(?:i |we )?(?:can not|cannot|can't|could not|couldn't|won't|will not|unable|not able|not allowed|not permitted|must (?:decline|refuse)|have to (?:decline|refuse)|decline|refuse)\b|(?:can not|cannot|can't|could not|couldn't|may not|must not|won't|will not) be \p{L}+|(?:is|are|was|were)(?: not|n't) (?:possible|allowed|permitted|eligible|able|something)|not (?:eligible|permitted|allowed|possible)\b|against (?:the|our|company) (?:policy|rules)|policy (?:does not|doesn't|prevents|forbids|prohibits)|(?:request|change|cancellation|update) (?:was|has been|is) (?:refused|rejected|denied|declined)|ineligible|transfer(?:red|ring)?(?: you)? to a human|can only be|only (?:[\p{L}'-]+ ){1,4}can be|too late to|no longer (?:possible|allowed|permitted|eligible)|no changes? (?:was|were|(?:has|have) been) made|nothing (?:was|has been) changed|(?:(?:i|we)(?:'ve| have)|(?:has|have))(?: not|n't) (?:been )?(?:changed|cancell?ed|updated|modified|made any changes?)|(?:system|server|tool|policy|rules?|order|store|shop) (?:has )?(?:rejected|refused|declined|denied|(?:does|did)(?: not|n't) (?:allow|permit|let|accept))|(?:cancellation|exchange|return|update|change|modification|request|booking|attempt|transfer) (?:has )?(?:failed|(?:did|was|were)(?: not|n't) (?:go through|succeed|work|successful|made|accepted))|(?:sorry|unfortunately|afraid)\b[^.!?]{0,60}\balready (?:been )?\p{L}+ed\b)/u;
const SUCCESS =
  /\b(?:successfully|(?:i|we)(?:'ve| have) (?:now |just |already )?(?!checked|looked|located|retrieved|listed|noticed|noted|received|opened|pulled|identified|compared|verified|reviewed|found|searched|tried|attempted|confirmed|read|seen|been)\p{L}+ed\b|(?:has|have) (?:now |just )?been (?!refused|rejected|denied|declined|unable|found|checked|reviewed)\p{L}+(?:ed|en|de|nt)\b|all (?:set|done)|(?:^|[.!] )done(?=[.:!,]))/u;

/** What the user will not have to or be able to do after a change is no refusal of it. */
const CONSEQUENCE =
  /\byou(?:r [\p{L}]+)? (?:will not|won't|will no longer|cannot|can't|can not) (?:be \p{L}+|\p{L}+)/gu;
/** A question, or words that ask; "…, which is more than enough" after a comma tells. */
const ASK =
  /\?\s*$|^(?:(?:could|can|would) you|which)\b|(?:\b(?:know|tell|say|sure|clear|specify|confirm|decide|choose|ask)\b[^,]{0,30}|: )\bwhich\b|\bplease (?:provide|tell|give|specify|confirm|share)\b|\bcould you (?:tell|give|provide|share|specify|confirm)\b/u;

const HOWEVER = /\b(?:but|however|unfortunately)\b/;

const ACTED =
  /\b(?:successfully|(?:i|we)(?:'ve| have) (?:(?:now|just|already|also) )*(?:cancell?ed|updated|changed|modified|exchanged|returned|booked|refunded|removed|added|deleted|created|placed|submitted|processed|completed|made|set|switched|moved|transferred)\b|all (?:set|done)|(?:^|[.!] )done(?=[.:!,]))/u;

/** Whether a text says that its speaker has carried something out. */
export function claimsSuccess(text: string): boolean {
  const { folded } = new Reading(text);
  return ACTED.test(folded) && !INABILITY.test(folded);
}

/** The class that a text has by its phrases; undefined when it both claims success and declines. */
export function classOf(text: string): AnswerClass | undefined {
  const { folded } = new Reading(text);
  if (folded === "") return "none";
  const noData = NO_DATA.test(folded);
  const done = SUCCESS.test(folded);
  const rest = done ? folded.replace(CONSEQUENCE, " ") : folded;
  const declined = INABILITY.test(noData ? rest.replace(NO_DATA, " ") : rest);
  if (declined && done && !noData) return HOWEVER.test(folded) ? "refused" : undefined;
  if (declined)
    return noData &&
      !/\b(?:cancel|chang|updat|modif|return|exchang|proceed|process|complet|do that|refund)/.test(folded)
      ? "said_no_data"
      : "refused";
  if (noData && !done) return "said_no_data";
  if (ASK.test(folded) && !/[.!] /.test(folded)) return "none";
  return "answered";
}

const ADVERSE =
  /\b(?:not|cannot|never(?! an? )|nor|unable|declin\p{L}+|reject\p{L}+|refus\p{L}+|den(?:y|ied)|block(?:s|ed)|prevent(?:s|ed)|fail(?:ed|s)?|errors?|insufficient|too (?:low|late|short|little|few)|past the|against|turn(?:ed)?(?: \p{L}+){0,3} down|only \p{L}+|no(?! (?:problem|problems|doubt|worries|cost|charge|fee|fees|need|matter|longer))|(?:already|been) (?:booked|taken|reserved|occupied|in use)|(?:someone|somebody) else\b|exceed\p{L}*|(?:more than|above|over|beyond) (?:the|your|our) (?:maximum|limit|allowance)|too (?:high|many|much|large)|lack(?:s|ing)?|(?:sorry|unfortunately)(?=,)|(?:needs?|has|have) to be \p{L}+|must)\b|n't\b/u;
const PROMISE = /\b(?:i|we)(?:'ll| will|'m going to| am going to) (?:now |also |gladly )?(\p{L}+)\b/gu;

/** Whether a text repeats why a call was refused: two words of that answer that the request lacks, or one of a short answer. */
function givesReason(folded: string, answerContext: AnswerContext): boolean {
  const { words } = vocabularyOf(answerContext);
  const told = new Set(tokens(folded).map(({ text }) => text.slice(0, 6)));
  return answerContext.calls.some(({ answer, is_error, answer_class, changed }) => {
    if (changed || !(is_error || /^(?:refused|error:)/.test(answer_class))) return false;
    const said = tokens(fold(JSON.stringify(answer) ?? "")).map(({ text }) => text);
    const own = [...new Set(said.filter((word) => word.length > 3 && word !== "error" && !words.has(singular(word))))];
    return own.filter((word) => told.has(word.slice(0, 6))).length >= Math.min(2, own.length || 2);
  });
}

/** "It can't be restored" of what was to be deleted tells what comes of it, and declines nothing. */
const AFTERWARDS = /\b(?:can(?: ?not|'t)|could(?: not|n't)) be (\p{L}+)\b/gu;
const ANY_DEED =
  /^(?:chosen|selected|picked|done|completed|processed|changed|modified|made|helped|fulfilled|granted|allowed|permitted|accepted|approved|carried|honou?red)$/;

/** "Who couldn't start before": how it was until the change. */
const UNTIL_THEN =
  /\b(?:could(?: not|n't)|was(?: not|n't) able to) (?:\p{L}+ ){1,3}(?:before|earlier|until now|previously)\b/gu;
/** "It can't be moved again" tells what comes of a deed, whichever it is. */
const NEVER_AGAIN =
  /\b(?:can(?: ?not|'t)|could(?: not|n't)) be \p{L}+ (?:again|anymore|any more|back|afterwards|later)\b/gu;
/** "We don't refund that", "it stays locked", "that is reserved to owners": how it is and stays. */
const STAYS =
  /\b(?:unchanged|untouched|(?:remain|stay)s? (?:\p{L}+ed|open|as|the (?:same|way))|(?:remain|stay)s? (?:on|at|in) |still \p{L}+ed|(?:reserved|restricted|limited) (?:to|for))\b/u;
/** What somebody else had done before, where a call of the agent's was refused. */
const OTHERS_DEED =
  /\balready (?:been )?\p{L}+(?:ed|en)\b|\b(?:is|are|was|been) taken\b|\bby (?:somebody|someone|another|others)\b/u;
/** How a thing stands that nobody asked to be brought there. */
const STANDS =
  /\b(?:is|are|was|were)(?: not|n't) (paid|sent|started|finished|delivered|shipped|closed|opened|locked|signed)\b/g;

/** Of a thing; "I've already cancelled it" claims a deed. */
const ALREADY = /(?<!\b(?:i|we)(?:'ve| have| had)? )\balready (?:been )?(\p{L}+(?:ed|en))\b/gu;

/** Whether a text says that something was so already, which a call had answered, and changed nothing. */
function standsAlready(folded: string, { calls }: AnswerContext): boolean {
  if (calls.some(({ changed }) => changed)) return false;
  const seen = fold(JSON.stringify(calls.map(({ answer }) => answer)));
  return [...folded.matchAll(ALREADY)].some(([, state = ""]) => seen.includes(state));
}

/** Verbs of having and finding tell of things. */
const EXISTENCE = /^(?:have|find|see|know|show|list)$/;
/** What the user has to bring first, where a call failed. */
const FIRST_NEEDS = /\byou(?:'ll| will|'d| would)? (?:first )?(?:need|have to)\b/;
/** That the speaker changed nothing. */
const LEFT =
  /\bleft (?:it|this|that|them|everything|things) (?:as (?:it|they) (?:is|was|are|were)|unchanged|untouched)\b/;

/** What stands before a verb: "a way to extend", "we don't refund", "won't be able to". */
const BEFORE_A_VERB = /(?:n't|\b(?:to|not|cannot|can|never))(?: (?:simply|just|currently|ever|be|\p{L}+ly))? $/u;

/** Whether a text denies the deed that was asked: "no way of refunding it", "isn't transferable", "we don't refund that". */
function deniesAct(folded: string, { request }: AnswerContext): boolean {
  const words = new Reading(request).words
    .map(({ text }) => text)
    .filter((text) => text.length > 3 && !EXISTENCE.test(text));
  const isAct = ({ text, start }: { text: string; start: number }) =>
    words.includes(text)
      ? BEFORE_A_VERB.test(folded.slice(Math.max(0, start - 30), start))
      : /(?:ing|able|ible)$/.test(text) && words.some((word) => text.startsWith(word.replace(/e$/, "")));
  return new Reading(folded).words.some((word) => isAct(word) && isNegated(folded, word.start));
}

/** A text without what tells how things stand or what comes of a deed: it declines nothing. */
function withoutAftermath(folded: string, answerContext: AnswerContext): string {
  const { participles } = vocabularyOf(answerContext);
  const kept = (all: string, verb: string) => (participles.has(verb) || ANY_DEED.test(verb) ? all : " ");
  return folded.replace(UNTIL_THEN, " ").replace(NEVER_AGAIN, " ").replace(AFTERWARDS, kept).replace(STANDS, kept);
}

/** Signs that something is not as it was wished, which do not say what. */
const LESS_THAN_WISHED =
  /\b(?:sorry|unfortunately|regrettably|sadly|apolog\p{L}+|afraid|but|however|instead|although|though|would (?:have )?(?:lik|lov)ed?|not|no(?! (?:problem|need|worries|doubt|matter|longer))|nope|none|nothing|never|without(?! (?:any )?(?:problem|trouble|delay))|neither|nor|un\p{L}{4,}|beyond|outside|still|remains?|left|stays?|violat\p{L}+|empty|off limits)\b|n't\b/u;

/** What a trial's readings leave possible: whether any of them held something, was refused, or none was made. */
function shownBy(calls: AnswerContext["calls"]): { data: boolean; failed: boolean } {
  const holds = ({ answer, is_error }: AnswerContext["calls"][number]) =>
    !is_error &&
    leaves((answer ?? null) as Json, 5).some(
      ({ value }) => value !== null && value !== 0 && value !== "" && value !== false,
    );
  return { data: calls.some(holds), failed: calls.some(({ is_error }) => is_error) };
}

/** Whether some sentence says that something has been done, on no condition. */
function claimsAnything(folded: string): boolean {
  return folded
    .split(/(?<=[.!?;]) /)
    .some(
      (one) =>
        SUCCESS.test(one) && !/\b(?:once|until|unless|if|when|only|after|not|no|nothing|none|nobody)\b|n't\b/.test(one),
    );
}

/** Whether a text asks or promises, and so is no last word. */
function waits(text: string, folded: string, answerContext: AnswerContext): boolean {
  const { words } = vocabularyOf(answerContext);
  if ([...folded.matchAll(PROMISE)].some(([, verb]) => words.has(verb ?? ""))) return true;
  const said = text.split(/(?<=[.!?])\s+|\n+/).filter((part) => part.trim() !== "");
  return said.every((part) => part.trimEnd().endsWith("?"));
}

/** How many there are, or a name: who tells it of what is not there makes it up. */
const COUNTS = /\b(?:one|two|three|four|five|several|both|only|yes|at (?:noon|night|midnight))\b/;

/** What the speaker cannot or may not do is no absence of data; that it could not see any is. */
const OF_ITSELF =
  /\b(?:i|we)(?:'m| am|'re| are)? (?:can|cannot|can't|may|might|must|do not|don't|will|won't|unable|not|have)\b/;

/** Whether a sentence that denies and asks nothing tells a name that neither the request nor a call holds. */
function namesAnother(text: string, asked: AnswerContext): boolean {
  const { known } = vocabularyOf(asked);
  return text.split(/(?<=[.!?])\s+|\n+/).some((part) => {
    const folded = fold(part);
    if (LESS_THAN_WISHED.test(folded) || /\b(?:i|we)\b|\?$/.test(folded)) return false;
    return (part.match(/(?<=\p{Ll},? )\p{Lu}\p{Ll}+/gu) ?? []).some((name) => !known.includes(fold(name)));
  });
}

/**
 * What is left open by an answer that contradicts nothing: where nothing was changed and the readings bear it out, a sign
 * that it is not as it was wished, said of what was asked for or beside a reason that a call gave.
 */
function isUndecided(wanted: "said_no_data" | "refused", text: string, folded: string, asked: AnswerContext): boolean {
  const { data, failed } = shownBy(asked.calls);
  if (asked.calls.length === 0 || asked.calls.some(({ changed }) => changed)) return false;
  if (waits(text, folded, asked)) return false;
  if (wanted === "refused") return LESS_THAN_WISHED.test(folded) || (failed && givesReason(folded, asked));
  const vocabulary = vocabularyOf(asked);
  if (data || namesAnother(text, asked)) return false;
  return text.split(/(?<=[.!?])\s+|\n+/).some((part) => {
    const one = new Reading(part).folded;
    const tells = COUNTS.test(one) || (one.match(/\d+/g) ?? []).some((figure) => !vocabulary.known.includes(figure));
    return LESS_THAN_WISHED.test(one) && !OF_ITSELF.test(one) && !tells && namesRequest(one, vocabulary);
  });
}

/**
 * Whether an answer is of the class. What it claims that is not so decides against it (a deed, a value that nothing
 * showed), then what it says for it; where only other words could decide, what was done leaves it open.
 */
function readAs(wanted: AnswerClass, text: string, asked: AnswerContext): Judgement {
  const whole = new Reading(text).folded;
  const folded = wanted === "refused" ? withoutAftermath(whole, asked) : whole;
  const strict = classOf(folded);
  const seen = strict === undefined ? "claimed success and declined" : ANSWER_WORDS[strict];
  const due = notMet(`the agent ${seen}, by its wording; it should have ${ANSWER_WORDS[wanted]}`);
  const open = (reason: string) => notDecided(`${reason}; nothing that was done speaks against it`);
  if (wanted === "said_no_data") {
    const { absent, told } = saysAbsent(folded, asked);
    if (told !== undefined && (absent || strict === wanted))
      return notMet(`the answer tells ${JSON.stringify(told)}, which neither the request nor a call holds`);
    if (absent && namesAnother(text, asked)) return open("the answer tells of something that no reading showed");
    if (absent) return met("the answer says that what was asked for is not there");
    const other = told !== undefined || strict === "refused" || claimsDone(folded, asked);
    return !other && isUndecided(wanted, text, folded, asked)
      ? open("the words do not say plainly that there is no such data")
      : due;
  }
  if (wanted === "refused") {
    const failed = asked.calls.some(({ is_error }) => is_error);
    const stands = standsAlready(folded, asked);
    const done = claimsDone(folded, asked) && !(failed && OTHERS_DEED.test(folded)) && !stands;
    if (strict === "refused" && (!done || HOWEVER.test(folded))) return met("the answer is refused, by its wording");
    if (done) return notMet("the agent claims that it was done; it should have refused");
    if (stands) return met("the answer says that it stands so already, as a call showed");
    if (deniesAct(folded, asked) || STAYS.test(folded) || LEFT.test(folded) || (failed && FIRST_NEEDS.test(folded)))
      return met("the answer says that this is not done");
    if (strict === "answered" && claimsAnything(folded))
      return notMet("the agent claims that something was done; it should have refused");
    if (folded === "" || strict === "said_no_data" || saysAbsent(folded, asked, true).absent) return due;
    if (waits(text, folded, asked)) return due;
    if (ADVERSE.test(folded)) return met("the answer says that it was not or cannot be done");
    return isUndecided(wanted, text, folded, asked) ? open("the words do not plainly decline") : due;
  }
  if (strict === undefined && wanted === "answered" && asked.calls.some(({ changed }) => changed))
    return met("the answer is answered, by what was done");
  if (strict === undefined) return notDecided("the answer both claims success and declines");
  return strict === wanted ? met(`the answer is ${strict}, by its wording`) : due;
}

/**
 * Whether something was changed and an answer says that it was: then what is said beside it, as that it cannot be undone
 * or that a person takes over, declines nothing that was asked. Whether it was the right change the state decides.
 */
function reportedDone(answers: readonly { text: string }[], answerContext: AnswerContext): boolean {
  return (
    answerContext.calls.some(({ changed }) => changed) &&
    answers.some(({ text }) => claimsDone(new Reading(text).folded, answerContext))
  );
}

/** Whether a text tells a value that a change was made with or answered with and that the user did not say. */
function tellsOfChange(text: string, { request, calls }: AnswerContext): boolean {
  const [said, known] = [` ${new Reading(text).folded} `, new Reading(request).folded];
  return calls.some(
    ({ changed, args, answer }) =>
      changed &&
      leaves([args, answer] as Json, 200).some(({ value }) => {
        const own = new Reading(String(value ?? "")).folded;
        return own.length >= DISTINCTIVE && /\d/.test(own) && said.includes(own) && !known.includes(own);
      }),
  );
}

/** Figures and ids of so many characters stand in a text for what they are. */
const DISTINCTIVE = 5;

/**
 * The last thing said is of the class: the agent's own word for it where it gave one, else by its words, read beside
 * what was asked and done where that is given.
 */
export function answerClass(
  wanted: AnswerClass,
  answers: readonly { text: string; class?: AnswerClass | undefined }[],
  asked?: AnswerContext,
): Judgement {
  const last = answers.findLast((a) => a.text.trim() !== "" || a.class !== undefined);
  if (last !== undefined && last.class === undefined && asked !== undefined) {
    const read = readAs(wanted, last.text, asked);
    if (wanted !== "answered" || read.verdict !== "not_met") return read;
    if (reportedDone(answers, asked)) return met("the answer is answered, by what was done and said");
    return tellsOfChange(last.text, asked) ? notDecided(`${read.reason}, and it tells what was changed`) : read;
  }
  const said = last === undefined ? "none" : (last.class ?? classOf(last.text));
  if (said === undefined) return notDecided("the answer both claims success and declines");
  const how = last?.class === undefined ? "by its wording" : "by its own word";
  return said === wanted
    ? met(`the answer is ${said}, ${how}`)
    : notMet(
        `the agent ${ANSWER_WORDS[said]}${last === undefined ? "" : `, ${how}`}; it should have ${ANSWER_WORDS[wanted]}`,
      );
}

/** What an agent did whose answer is of a class, after "it should have" too. */
const ANSWER_WORDS: Readonly<Record<AnswerClass, string>> = {
  answered: "answered",
  said_no_data: "said that there is no data",
  refused: "refused",
  none: "said nothing",
};
