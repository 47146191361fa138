/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const FINDING_QUESTIONS: Readonly<Record<string, string>> = {
  held_set_quality:
    "how good is the regression set still | quality of the held set | is our golden set worn out | does the regression suite still tell agents apart",
  rubric_get:
    "what is the rubric | what are tasks held to | what counts as success | what are the criteria for a good answer | how is the agent graded | what does a persona's task have to meet | how are trials scored | when does a trial count as met | what makes a good answer | what does a good answer have to have | when is an answer counted as right",
  calibration_list:
    "does the judge agree with people | how good is the llm judge | agreement of judge and humans | kappa of the judge | can I trust the judge | is the judge calibrated | do the judge and our people agree | how often is the judge wrong | do humans agree with the judge | is the grading model reliable | how reliable is the grading | is the judge any good | can the grades be trusted | do humans agree with the automatic grading | is the automatic grading right | can the automatic verdicts be trusted | how often do the verdicts agree with people | are the verdicts right | how accurate are the verdicts | how good are the automatic grades compared with humans | can I trust the verdicts | are your verdicts reliable | do your grades match those of people | is the judge's opinion in line with what our people say | how many of my labels disagree with the automatic checks | do our own labels agree with the verdicts",
  calibration_post:
    "how do I calibrate the judge | add human labels beside the judge's verdicts | upload a calibration set | how do I check the judge against people | measure the judge on human labels | we graded fifty answers by hand, how do I see whether the judge agrees | how do I test the judge against human grades | give the judge examples graded by people",
  calibration_get:
    "show one calibration set | which items did the judge get wrong | where do judge and person disagree",
  calibration_patch:
    "retire a calibration set | take a calibration set off the panel | a set of human grades is out of date, how do I retire it | take old human labels out of the calibration",
  reports_list:
    "which reports are there | list the reports | what pages have we shared | is there a report I can read | who made the last report | which links are still on | what reports have been made | what did we share | which pages exist | where are the reports | what write ups exist so far | which reports can I open | show all shared pages | how many reports were made | reports | what has been shared | which results have been shared outside | list of shared links | who got a report",
  reports_post:
    "how do I make a report | freeze the results as a page | write a report for my boss | create a shareable page | summarise the comparison for management | give me a link for my boss | put the result on a page for others | I need something to show to my manager | how do I hand a report to management | save the result as a document | make a page of the comparison | how can I show this to my manager | how do I put the results on one page | prepare something for the board | how do I present the results to management | how do I write up the results | how do I turn the last comparison into a page that I can hand on | my manager wants the results on paper, how do I get them | make a report of the last run | produce a pdf for management | create a summary page for the customer",
  weekly_report:
    "write the weekly page | make this week's report | how do I get a weekly summary | how do I make the report of this week | I need the weekly page before the meeting, how do I write it now",
  reports_weekly_delivery_get:
    "is the weekly report mailed | where does the weekly page go | do we get a weekly mail | is there a weekly report",
  reports_weekly_delivery_put:
    "how do I get the weekly report by mail | turn on the weekly post | stop the weekly email | how do I send the weekly report to the team | mail the weekly page to everyone | send the weekly report to my boss by mail | how do I get the weekly results mailed | be told by mail when the weekly results are out | how can my boss get the weekly report by mail | nobody reads the weekly mail, how do I stop it | unsubscribe from the weekly mail | who should get the weekly report where do I set that | mail the results every monday",
  reports_get:
    "read a report | show the report | what does the latest report say | open the newest report | what is in the newest report | open the last report | let me read the report",
  reports_share:
    "how do I share a report | get a public link | send the report to somebody outside | turn off a shared link | how do I make a link that anyone can open | let my manager see the result without an account | make a public link | can I share a report with my boss | can I send a report to others | how do I pass the result on to somebody outside the company | can a customer see the report | how do I send a colleague the link | send a report to somebody who has no login | how can someone without an account see the report | give my boss a link to the result | how do I let somebody without a login read the report | how do I get a link to the report | the link of a report should not work any more, how do I switch it off | unshare a report | withdraw a public link | delete the link of a report | stop sharing a page",
  failure_modes:
    "show every failure mode with its traces and tasks | in which version was the failure mode reproduced | who reported the failure | what bugs do we know of | which problems are still open | what is on our list of problems | known weaknesses of the agent | have we recorded any failure modes | are there bugs that nobody fixed | was the bug fixed | which known failures are there | list the failures we track | which problems keep coming back | which failures come back again and again | what are the most common failure modes",
  failure_modes_post:
    "how do I record a failure mode | add a known bug | write down a weakness | file an issue | we know that the agent confuses two products, where do I write that down | how do I add a known problem to the list | record a bug of the agent | how do I note a weakness so that it is tracked",
  investigate_failure:
    "how do I report that the agent went wrong | look into a failure a customer reported | find traces of this bug | investigate a complaint | a user says the bot lied | a customer says that the agent gave a wrong refund, how do I have that looked into | how do I find out whether a complaint is true | our support got a complaint about the bot, how can I look for the cause | examine one reported failure",
  failure_mode_proposals_list:
    "which failure modes were proposed | are there proposals to confirm | reported failures that wait for confirmation | suggested failure patterns that I have to confirm or throw out | are there new failure modes to confirm | which proposed failures wait for me",
  failure_mode_proposals_post:
    "propose a failure mode | turn a report into a proposed failure mode | how do I suggest a failure mode that others have to confirm | propose a failure for review",
  confirm_failure_mode:
    "how do I confirm a failure mode | make tasks from a proposed failure | accept a proposed failure mode | a proposed failure is real, how do I accept it | how do I make tests from a proposed failure",
  failure_mode_proposals_dismiss:
    "dismiss a proposed failure mode | reject a failure proposal | a proposed failure is no failure, how do I throw it out | how do I reject a suggestion of a failure mode",
  failure_modes_patch:
    "how do I close a failure mode | mark a bug as fixed | change the status of a failure mode | edit a known issue | a known bug has been fixed, how do I mark that | how do I close a problem on the list | delete a failure mode | retire a failure mode | reopen a bug that came back | change the title of a failure mode",
  failure_mode_classify:
    "was the agent wrong to say there is nothing | classify sessions of a no data failure | how do I find out whether no data was true in the reported sessions | were the sessions right that said there is no data",
  failure_mode_rekey:
    "rekey the tasks of a failure mode | make answer keys reject padded lists | answers with everything in them pass, how do I make the tasks of a failure mode stricter | tighten the answer keys of a failure's tasks",
  held_set_pickout:
    "how do I freeze a regression set | keep these tasks as a golden set | pick out failed tasks as a regression suite | make a held set | I want a fixed set of tasks for regressions, how do I choose it | how do I keep some tasks aside as a regression suite | how can I make sure that old failures do not come back | make a golden set from the failed tasks",
  scorers_list:
    "what scores a trial | which scorers are there | which checks exist | how are results scored | what metrics are used | which evaluators are in use | are scores from a model or from code | what do the graders look at | by what is a trial scored | what kinds of checks are there | how do you decide whether a trial passes | which measures are used to score | what is looked at to grade an answer | by which metrics do you judge | what does a trial have to do to pass | how is the score computed | how do you measure success | what is measured",
};
