/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const ENVIRONMENT_QUESTIONS: Readonly<Record<string, string>> = {
  environment_task_turns:
    "how do I add follow up questions to a task | script the user's next messages | make a task with several turns | the customer should answer back in the test, how do I script that | how do I make a conversation with several messages from the user | add a second user message to a task",
  environment_revisions:
    "what changed in the environment | history of an environment | who edited the tasks | revisions of the environment | who changed the tasks | who edited the tests",
  environment_revision_get:
    "show one revision | what was different before the change | what came out worse in the revision",
  environment_revision_restore:
    "how do I undo a change of the environment | go back to the earlier tasks | revert the environment | can I undo the last delete | undo my last edit of the tests | take back what I just changed | undo a change that someone made to a sandbox | how do I take back a colleague's edit of the tasks | return to the earlier state of the environment | somebody broke the tasks of the sandbox how do I go back to how it was | somebody has spoiled the environment, how do I go back to the version of yesterday | undo the last change of the tasks | how do I bring back tasks as they were before the edit | roll back the environment | somebody has broken the tasks yesterday, how do I get the old state back | I changed a task by mistake, can that be undone | how do I go back to how the test set was last week | is there an undo for changes to the fake system | take back an edit of the test world | an edit made things worse, how do I return to the version before",
  generate_environments:
    "how do I make more tasks | generate tasks about a topic | create a new environment | write more test cases | I need tests about refunds | how do I add more tests about returns | get more tasks of one kind | I want harder tests | how do I write tests for a new feature | how do I get tests for a topic | how do I make the tests harder | how do I get more tests | how do I get more tests on a topic | can you write additional test cases | we need more tasks for returns | how do I make more test cases for angry customers | write tests about a certain topic | make additional tests for one kind of customer | forty tasks are too few, how do I get more | how can I have tasks written about cancellations | our tests are too easy, how do I get harder ones | we launch a new feature next week and want tests for it, how do I make them | create more test cases | how do I get new tests from the same world | generate new tasks | we have too few tests for refunds, how do I get more | get more test cases for one kind of request | situations without a test should get one, how | how do I close the gaps in coverage",
  environments_for_criteria:
    "make environments for criteria with too few tasks | write tasks for a check | make more test cases for a check | one check has only three tasks, how do I get more for it | how do I get enough tasks for each check",
  environment_retire:
    "how do I hide an environment | retire an environment | take an environment off the list | how do I take an environment out of use | delete an environment | remove an old environment | we do not need one of the test environments any more, how do I hide it",
  environment_restore:
    "restore an environment | bring back a retired environment | how do I restore a deleted environment | get an environment back | bring back an environment that somebody retired by accident | an environment was hidden by mistake how do I get it back | how do I get a retired environment back",
  environment_tasks:
    "list the tasks | show me the tasks | what tasks are there | show me some test cases | what are the tests | give me examples of tasks | what will the agent be asked | show me a few tasks | let me see the tests | list some test cases | show me all tests | what does a test look like | read the tasks | what tasks are in the environment | which tasks does the environment hold | give me the list of test cases | which questions will the agent be asked in the test | let me read the test cases | enumerate the tasks | list me the tasks please | can I see the tests | print the tasks | what are the test questions",
  environment_review_hold:
    "how do I put a task on hold | a task is wrong hold it | exclude a doubtful task | how do I mark a test as wrong | say that a task is wrong | a task looks wrong and I want it not to count until somebody has looked, how do I do that | take a doubtful task out of the count for now | put a test on ice",
  environment_review_rereview:
    "review held tasks again | take a task off hold | the held tasks were corrected, how do I have them reviewed again | release a task that is on hold",
  environment_review_correct:
    "how do I correct a wrong expected answer | the task's expected fact is wrong | accept another spelling of the answer | fix the answer key | how do I tell it that a failure is not a real one | the expected answer is wrong | the agent was right but the test failed it | fix a wrong expected answer | the check is too strict | how do I say that a failure is wrong | a failure is not a real one | the failed trial was in fact right | can I edit a task | change what a task expects | a test expects the wrong amount how do I correct it | a failure is a false alarm how do I say so | how do I teach it that a failure is not one | the check marks a right answer as wrong | a task expects the wrong answer, how do I change that | how do I tell you that the agent was right after all | the expected amount in a test is out of date, where do I change it | accept one more answer as right | mark a failed trial as passed because the check was wrong | how do I overrule a verdict | the expected answer of a task is wrong, how do I put it right | a check expects the wrong amount, where do I change it | one test marks right answers as wrong, how do I mend it | the solution that a task has on file is out of date | what counts as right in one task is not true, how do I change it",
  environment_regate:
    "certify tasks again | check the tasks against the world as it is now | the world has changed, how do I check that the tasks still hold | certify the tasks against the current world",
  environment_reserve:
    "how do I copy tasks to another surface | move tasks to another system | how do I use the tasks of one system on another | take the tasks along to a new system",
  environment_review:
    "why was a task refused | which tasks did not pass review | how do we know the tasks are right | are the tests themselves correct | why are tasks not certified | review of the tasks | how good are our tasks | are the tasks solvable | which tasks are on hold | can I trust the tasks | proof that the checks work | why should I believe these tasks | are the tests any good | how do I know the tests are fair | why was that task thrown out | are the tasks correct | who checks the tests | can the tests be trusted | was every task proven | do the tests make sense | are there bad tests | who approved these tests | has anybody checked the tests | is a task ever wrong | how do you know a check works | proof that a test is right | did all tasks pass their review | are the tasks realistic | are the tests like what customers ask | what is the state of review of our tasks | how far is the review | do any of the tests contradict each other or look broken | is any test broken | how do we know a test does not fail good agents | have the tasks been double checked | why were tests thrown out by the review | are our tests valid | which tests are doubtful | how strict was the review | what did the review reject and why | were wrong trials rejected by the checks | has a human looked at the test cases | were the tests checked before use | which tests did the review throw out | how sure are we that a passed test really is right | who says that the tests are right | how was each task checked",
  environment_review_post:
    "how do I review tasks | start the review | check all tasks again | how do I have all tasks checked | how do I start the review of the tasks | certify the tasks",
  environment_audit_get:
    "does the data in the environment contradict itself | audit of the rows | which rows look made up | is the generated data consistent",
  environment_audit_post:
    "audit an environment | check the rows for contradictions | how do I check whether the data in a sandbox fits together | look for contradictions in the fake data",
  environment_surface_key:
    "are two environments comparable | comparison terms of an environment | digests of the environment | can I compare results of these two environments",
  environment_tools:
    "manifest that the environment's worlds serve | tool definitions of the environment with their schemas | what tools does the sandbox have | what can be done in the fake system | which calls does the copy take | list the tools | what functions does the fake one offer | which tools can the agent call | what can the agent do here | what tools exist | show me the tools of the copy",
  environment_fidelity:
    "fidelity of the environment per tool | identical answers share beside a plain recording | is the copy of our system any good | how good is the copy | which tools does the fake one get wrong | where is the sandbox not like the real thing | what does the simulator not know | does the twin lie | how true is the fake system to the real one | can I believe the simulator | how often is the copy wrong | how much of our system is covered by the copy | does the sandbox answer like the real system | is the simulation good enough | can the simulation be trusted | how close is the fake to the original | how many answers of the copy are wrong | what does the mock get right | is the world accurate enough to rely on",
  environment_answer_shapes:
    "say which form answers should have | store example answers of the real system | how do I say in which form answers of the system come | give examples of real answers of the system",
  environment_get:
    "read an environment | what was the environment drawn from | how many rows are drawn | details of the environment | what is in the environment",
  environment_tasks_post:
    "how do I add my own task | write a test case myself | add a custom scenario | turn a real failure into a test | how do I turn a production trace into a task | how do I write my own test | make a test out of a conversation | add a test by hand | how do I add a case we saw in production | how do I add a check | write a task with my own checks | how can I add a case from production | how do I put in a test of my own | add my own scenario to the tests | I have an idea for a test, how do I add it | how do I write a task of my own with a check | we had an incident in production and want a test for it, how do I make it | how can I add a test case that we care about | import our own test cases | add a task by hand | I have a test case in mind, where do I enter it | how do I write a task myself | our testers wrote down ten cases by hand, how do they get in here",
  environment_tasks_retire:
    "how do I remove a task | delete a bad test | leave a task out of later runs | drop tasks | how do I throw away a task that makes no sense | how do I take a test out | remove a bad task | get rid of a test | drop a silly test case | how do I disable a test | switch a task off | how do I stop using a test without deleting it | leave a silly task out from now on | a task makes no sense how do I keep it out of future runs | how do I delete a task | delete a test case | remove all tasks about refunds | delete all tasks | a test makes no sense and should not be run any more, how do I remove it | get rid of tasks that are always passed | how do I make sure that a task is not used any more | one of the tests makes no sense, how do I take it out | leave a task out from now on",
  environment_tasks_restore:
    "put a retired task back | restore tasks | I retired a task by mistake, how do I get it back | bring a removed test back | undo the removal of a task",
  environment_task_checks:
    "how is a task graded | which checks does the task have | what does a task expect | what is the right answer of the task | what decides whether a task is passed | what does a task check | how is one test graded | how do I see by which checks a task is decided | what must an answer have to pass this test",
  environment_check_rehearse:
    "try a check against right and wrong answers | rehearse a check | does the check catch wrong answers | how can I try a check before I use it | does my new check reject wrong answers",
  environment_scripts_starter:
    "what is the reference solution | show the script that solves the task | how should the task be done | expected calls of a task | what would a right solution of the task look like",
  environment_scripts_dry_run:
    "dry run a script | try a script on the world | how can I try a solution before I store it | test a script against the world without saving",
  environment_scripts_get: "which scripts did people write | other solutions of tasks | list the scripts",
  environment_scripts_post:
    "how do I store another right way to do a task | add an alternative solution | there is another right way to solve the task, how do I add it | how do I say that a second solution is right too",
  environment_realism_get:
    "how real do this environment's rows look | did people tell drawn rows from observed ones here",
  environment_realism_post:
    "rate an environment's rows | say which rows of the environment look fake | how do I say that rows of an environment look invented",
  environment_world_refresh:
    "how do I update an environment to the newest world | refresh the environment | the world was compiled again, how do I bring the environment to it | update an environment to the newest compiled world | an environment still uses the old world, how do I move it to the new one",
  environment_world_table:
    "show the rows of a table | what is in the customers table | look at the data of the environment | list the orders in the world | show me the orders of the fake system | which customers are in the sandbox | look into a table",
  environment_review_regenerate:
    "write refused tasks again | replace refused tasks | many tasks were refused in the review, how do I get others in their place | write other tasks for those that did not pass review",
  environment_revoice:
    "say requests in other words | change the tone of the tasks | rephrase the requests | all requests sound the same, how do I have them worded differently | make the requests sound like real customers | rephrase the tasks",
  environment_rekey:
    "recompute the keys of tasks | expected answers are outdated after a redraw | after a redraw the expected answers are wrong, how do I update them | compute the expected answers again",
};
