/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const ORGANIZATION_QUESTIONS: Readonly<Record<string, string>> = {
  whoami:
    "who am I | which account is this | what token am I using | what am I allowed to do | what scope do I have | why am I refused with 403 | which org am I in | what may I do with this token | as whom am I logged in | which rights does my token have",
  orgs_list:
    "which orgs are there | list all organizations | what workspaces exist | how many orgs does this service have",
  org_status:
    "where do we stand | give me an overview | what is the status | how are things going | summary of the workspace | is everything ok | what is going on | how is my project doing | give me a quick summary | state of the org | dashboard | anything I should know | bring me up to date | is everything all right | how are we doing | catch me up | what is the situation | is all in order | give me the state of things | tell me where we are | summarise where the project is | sum up the state of the project | is anything on fire | is the service healthy | is everything running smoothly | any problems at the moment | are there incidents right now | give me the short version of where we are | anything urgent | is there any trouble I should know about | what is the health of the workspace | how is it looking | give me a status report | status | overview | how is it going | how are we doing overall | anything broken | is all well | summary please | is there something I have to look at | what is the state | report on the current situation | a short summary of where we stand to forward | one paragraph on how things are going overall | sum up where we are in a few sentences for my director | give my boss a summary",
  org_purge_preview:
    "what would be deleted with the org | how much would deleting the workspace remove | preview the deletion of everything | what would be lost if I delete the workspace | what goes away when the org is deleted | before I delete the workspace I want to see what would go | list what deleting everything would remove",
  org_delete:
    "how do I delete the org | how can I remove the whole workspace | delete everything we have for good | close our account | we stop using this, how do I delete our workspace with everything in it | erase the whole workspace | delete all our data | wipe everything | our contract ends and all of our data has to be deleted, how is that done | how do I delete all data of the organisation | remove everything that you have stored of us",
  org_rename:
    "how do I rename the org | change the workspace's name | give the organization another tag | give the workspace another name | our company has a new name, how do I change the name of the workspace | rename our workspace | can the tag of the org be changed",
  org_tokens_list:
    "which api tokens exist | list access keys | which tokens are about to expire | when was the token last used | who holds api keys | what credentials are active | which keys are in use | are any keys about to expire | show all api keys | do we have old keys | which access tokens are still valid | which keys still work | which credentials are about to lapse | which tokens are still active | when do our keys expire | who created the api keys | how many tokens are there | list of access tokens with their scopes | which machine credentials exist | is there a token that nobody uses | which keys can write | how many api keys do we have | do any tokens have admin rights | tokens that expire soon | what tokens are there | tokens that have not been used for a long time | list every token with when it was made and last used | does anything expire soon | is any api key older than 90 days still active | which access keys run out in the coming weeks",
  org_tokens_post:
    "how do I create an api token | how can I get an access key | make a read only token | I need credentials for ci | how do I give a script access | how do I make a new api key | I need a key for a script | give ci access | get a token for my program | give a script access | access for another program | how does my script log in | where do I get an api key | I want a key for our build server | a key that can only read | a token that may push traces alone | how do I give a program limited access | how do I allow a contractor to upload traces and nothing more | our ci pipeline needs to push traces, how do I get it a token | how do I make a key that expires | we are writing a script against the api, where do we get a token | how can I give a colleague's program read rights | generate an api token | create a token for the build server | I lost my token, how do I get a new one",
  org_tokens_delete:
    "how do I revoke a token | disable an api key | a key leaked how do I cancel it | remove an access token | how do I cut off an old api key | take a key out of use | block a token | kill a leaked key | how do I rotate the api keys | replace a key | our api key was posted in public how do I make it useless | a token was stolen what do I do | how do I block an old access key at once | an employee who knew our api key has left, how do I make it invalid | how do I delete a token | how can I withdraw access from a script | invalidate an api token | delete an api key that is not used any more | revoke all tokens",
  members_list:
    "who has access | who are the members | how many people are in the workspace | who is on the team | list users | who are the admins | who can log in | which colleagues are in here | what role do I have | who else can get into this workspace | who can see our data here | who works in here | who has an account | is there another admin | who is in this workspace | how many users do we have | which people can log in | is somebody else in here | list my colleagues | where can I see everyone invited | who is using this with me | who else uses this platform | list of people with an account | who are the administrators here | who can change settings | which people have admin rights | who is allowed to change things | which colleagues have access | how many people use this | who of us is an admin | who may edit here | which person has the right to change something | who has admin rights | who are my teammates here | people in this workspace | show users and their roles | what are the roles of the members | is anna a member | who besides me may delete things here | who can get into this workspace with admin rights | with whom do I share this workspace and what may each of them do",
  members_post:
    "how do I invite a colleague | add a teammate | how can I give somebody access | add a new user | how do I onboard a new member of the team | how do I give the auditor access | let someone else in | how do I give my boss an account | how can my colleague get in here | how do I let a teammate see this | give a new colleague an account | how do I add a person | how can I let our auditor look around without changing anything | give a colleague viewing rights only | how do I invite someone with read rights alone | can a new team member get access to this workspace | a new colleague starts on monday, how do I get her into the workspace | how do I add somebody to the team | how can our product manager see the results here | invite a new user by mail | I want my whole team in here, how do I add them",
  members_patch:
    "how do I make someone an admin | change a member's role | stop mailing a member | rename a user | change permissions of a colleague | how do I give a member other rights | make a colleague admin | how can I take admin rights from someone | a colleague should be able to change settings, how do I give him the rights | how can I turn a viewer into an admin | take admin rights away from a member | how do I change what somebody is allowed to do | lower the rights of a colleague",
  members_delete:
    "how do I remove a member | take away a colleague's access | delete a user | someone left the company | a colleague left the company how do I lock her out | how do I take somebody's access away | remove a person from the workspace | somebody has left our team, how do I take away the access | how do I throw somebody out of the workspace | delete a member | a former employee can still log in, how do I stop that | remove a colleague's account | kick a user out",
  delivery_get:
    "which delivery channels are on | where do findings get sent | can results go to slack | are notifications turned on | what finding would be sent | which channel is recommended | how are people notified | do we get alerts | do we have any alerts configured | are alerts set up | who gets notified when something breaks | is any notification configured | how do results reach the team | where do alerts go | do we send results to slack or mail | which notification channels are active | how are we told about results | do we get a message when something breaks | alerts | are there notifications | who is informed when the agent gets worse | do we send anything to outside parties | does anything leave to slack chat or other tools | to which outside tools are results sent",
  delivery_log:
    "what was sent and to whom | which messages went out | was the result posted to slack | when was the last notification sent | history of sends | did the email go out | which notifications were sent last week | did anybody get a message about the result | what messages have you sent | list of sent alerts | to whom was the result mailed",
  delivery_confirm:
    "how do I confirm a send | allow one finding to be sent | approve sending the message | a message waits for my word before it goes out, how do I release it | approve one message before it is sent | how do I say yes to a send",
  delivery_put:
    "how do I turn on slack notifications | switch off a channel | enable delivery by chat | stop sending findings | how do I get notified | how do I get a slack message about results | what do I set up to be told in chat | send results to our channel automatically | how do I switch the slack messages on | we get too many messages, how do I turn them off | how do I turn off notifications | send findings to our chat as soon as they are there | disable mails about results | how can results be sent to our channel by themselves | how do I enable the delivery by mail",
  delivery_preview:
    "what would the slack message look like | preview the notification | show me what would be posted | how will the finding look in chat | what would be posted to chat | show the message before it is sent | before it goes to everyone I want to see the message, how | what will the post in our channel say",
  delivery_opens_post: "count that someone opened a finding | record an open",
  delivery_opens_get:
    "how often was the finding opened | did anyone read what we sent | how many people looked at the result",
  spend_summary:
    "how much did we spend today | what is left of the budget | what is our daily budget | how much of the budget is used | is anything waiting for budget | spend by day | costs per job | where does the money go | what are we paying for | are we over budget | how much can we still spend | spending limit",
  budget_put:
    "how do I set the budget | raise the daily limit | limit what we spend | change the spending cap | allow more money per day | how do I cap spending | set a limit on cost | allow more spending today | how do I keep costs under control | can I put a ceiling on spending | change how much may be spent | how do I cap what we spend per day | limit the costs per day | I am afraid that this gets expensive, how do I limit it | how do I set a maximum of ten dollars a day | we hit the daily cap, how do I raise it | lower the budget | where do I set how much may be spent | how can I make sure that we never spend more than fifty dollars a day",
  judge_get:
    "which model judges | what is the judge | is an llm grading the answers | who decides judged checks | which judge models can I choose | how are answers graded | which model is grading | who grades the answers | is a model used for grading | is an ai deciding who passes | do you use a model to decide what is right | which model decides the verdicts | is the grading done by ai or by code | are we paying for grading by an llm | does a model grade the answers | who or what decides whether an answer is right | is a model grading our answers at present",
  judge_put:
    "how do I change the judge | use another model for grading | set the judge model | switch the llm judge | how do I pick another model for grading | we want claude to grade instead of gpt, how do I set that | how do I set which model judges the answers | turn off the llm judge",
  confidence_get:
    "what thresholds are used for confidence | what counts as high confidence | how is confidence put into words | which confidence bands are set",
  confidence_put:
    "how do I change the confidence thresholds | set the confidence bands | make the gate stricter | how do I set how sure a verdict must be | a regression should count only at 99 percent, how do I set that | change from which confidence on it counts as shown | make verdicts stricter",
  version_labels_get:
    "what labels do versions have | which version is called main | what does main stand for | names given to versions",
  version_labels_put:
    "how do I label a version | mark a version as production | tag a version as main | give a version a name | how do I say that version 3 is in production | mark which version is live | call a version main | how can I tag the release that customers use",
  chat_get:
    "is slack connected | which chat workspace are we connected to | is chat set up | are we connected to teams | is slack hooked up | did we connect teams | which channel do we post to | is our slack connected | are we hooked up to slack | is there a chat connection | in which chat channel do results appear",
  chat_post:
    "how do I connect slack | link our chat workspace | set up the slack bot | set up slack | add the bot to our slack | our team lives in slack, how do I connect it | how do I add microsoft teams | connect discord | how can I link our slack workspace with this",
  chat_delete:
    "how do I disconnect slack | remove the chat connection | unlink the chat workspace | we have moved away from slack, how do I remove the connection | how do I take the bot out of our slack | disconnect teams | delete the slack integration",
  chat_oauth:
    "connect slack by oauth | finish the slack login | exchange the oauth code of the chat tool | how do I finish the slack installation with the code | the slack consent page gave me a code, where does it go",
  connectors_get:
    "which tool servers do agents commonly use | show the connector catalog | what connectors are there | which mcp servers are in the catalogue | which connector has a regression rate",
  connectors_post:
    "how do I add a connector to the catalog | register tool servers in the catalogue | how do we add our own mcp server to the list of connectors | put a tool server into the catalog",
  connector_patch:
    "how do I change a connector | retire a connector | record a new version of a connector | a connector in the catalog is out of date, how do I edit it | take a connector out of the catalog | how do I remove a connector",
  connections_rotations_get:
    "when were connector links rotated | history of link rotations | who turned over the tokens of worlds | list when the links of the worlds were renewed | which rotations of connector links were there",
  connections_rotate_post:
    "how do I rotate all connector links | a world link leaked | renew every mcp token at once | somebody posted a world's link in public, how do I make all links invalid | exchange all mcp links of worlds | how do I renew the addresses that agents connect to",
  schedules_list:
    "what is scheduled | which runs happen automatically | is there a nightly run | when does the next scheduled evaluation start | what runs every week | do we have cron jobs | why did the schedule not fire | what happens by itself | is anything automated | when will the next scheduled check run | what is planned | when is the next nightly run | does anything run by itself | what runs every night | what is scheduled for tonight | what will run tomorrow | what is set to run automatically | are there any automatic runs | when is the weekly report made | what is on the schedule | did the nightly evaluation fire | when will the agent be tested again automatically | is the evaluation automated | do evaluations run on a timer | which recurring jobs are configured | what time does the nightly run begin | is there a regular test | what happens automatically every week | next scheduled run | when is the next run | which evaluations are planned | upcoming runs | is something planned for tonight | regular runs | what is automated here | which schedules are set up | show the schedules | schedules | what schedules exist | is any schedule set up",
  schedules_post:
    "how do I schedule a nightly run | run the evaluation every day | make this automatic | set up a weekly run | how do I test every new version automatically | how do I get told when quality drops | alert me when the score goes down | warn me about regressions | notify me if the agent gets worse | how do I get an alarm | tell me when something breaks in production | can I get a message when a run fails | how do I hear about failures | is there a way to be warned when the pass rate drops | can I get an alert | how do I automate the runs | how can I have it tested every night | can this be run automatically every week | how do we set up a regular evaluation | how do I get a warning when quality goes down | set up an alert for failures | how do I have the tests run each morning | a message whenever the agent gets worse what do I set up | how do I plan a regular run | how can the agent be checked every week without me | how do I have the evaluation run each night | we want a test every monday morning, how do I set that up | how can I test automatically whenever there is a new version | how do I plan a weekly evaluation | set up a cron job for the evaluation | run it automatically every night | I want to be told as soon as the agent gets worse, what do I have to set up",
  schedules_get: "read one schedule | when is this schedule due | show me the schedule's details",
  schedules_patch:
    "how do I change a schedule | move the nightly run to another time | edit when it fires | how do I move the weekly run to another day | run it at another hour | how do I pause the weekly run | pause a schedule | make it run on another day | the nightly run starts too early, how do I change the hour | how can I make the weekly run daily | how do I suspend a schedule over the holidays | change how often it runs",
  schedules_delete:
    "how do I stop a schedule | delete the nightly run | end automatic runs | turn off the cron | how do I turn the nightly run off | stop testing every night | no more automatic runs | we do not need the nightly evaluation any more, how do I end it | delete a schedule | how do I cancel the weekly run for good | remove the cron job | end all schedules | stop the automatic evaluations",
  sources_list:
    "list the sources | how many sources are connected | which source has consent | how often is each source pulled | when is the next pull",
  sources_post:
    "how do I connect langfuse | connect a source of traces | import traces from langsmith | hook up our tracing tool | pull traces automatically from a url | how do I add a new data source | add another source of traces | connect our tracing | how do I get my langfuse traces in here | import our langsmith traces | how do we hook up our tracing platform | how do I make traces flow in by themselves | connect our production logs | have phoenix traces arrive here every night by themselves | get traces from our tracing tool on a regular basis without uploading files | how do I have langsmith data pulled in automatically each day | let traces come in by themselves | how do we connect our observability tool so that data flows in | our traces are in langfuse, how do I get them in here | how can I have traces pulled from langsmith every day | we log everything to arize phoenix, how do I connect that | import from braintrust | how do I connect mlflow | connect our langsmith project",
  sources_obs_oauth_start:
    "connect datadog by consent page | log in at the observability vendor | start oauth with the observability vendor | connect datadog without handing over a key | how do I allow access to datadog by its login page",
  sources_obs_oauth_callback: "finish the observability vendor's oauth | come back from the vendor's consent",
  sources_obs_connect:
    "how do I connect datadog | connect the observability vendor with api keys | use an application key for the vendor | how do I hook up datadog with an api key | our monitoring is in datadog, how do I connect it | connect new relic",
  sources_get:
    "read one source | show the details of a source | what is in the way of the next pull | where are the source's keys kept | is the langfuse source working | why does the source not pull",
  sources_patch:
    "how do I change a source | pull more often | give consent to a source | change the credential of a source | anonymize a source | the key of our langfuse project has changed, where do I enter the new one | how do I have the source pulled every hour instead of every day | change how often traces are pulled | pause a source | allow a source to be pulled | names should not be stored from this source, how do I set that",
  sources_delete:
    "how do I disconnect a source | stop importing traces | remove the langfuse connection | delete an integration | how do I stop the import from langfuse | we do not use langsmith any more, how do I take it out | delete a source | disconnect our tracing tool | remove a source of traces | stop pulling traces from our tracing tool",
  sources_sync:
    "how do I pull the newest traces | sync now | refresh the source | fetch new data from langfuse | I do not want to wait for the next pull, how do I get the traces now | how can I fetch the newest traces from langsmith at once | pull a source immediately | import the latest traces from langfuse now",
  sources_pulled:
    "record that a pull was made elsewhere | we sent the source's evidence ourselves | we fetch the traces ourselves, how do I record that a pull was made | mark a source as pulled",
  sources_labels:
    "how do I import scores of a tracing tool | store labels for a source's traces | bring in ratings from langfuse | our people rate traces in langfuse, how do I get those ratings in here | how can I import the scores of our tracing tool | bring the thumbs from langsmith in",
  connections:
    "which mcp endpoints are there for agents | list worlds agents connect to | what urls can agents connect to | show the connections",
  datasets_get:
    "which datasets are there | list datasets | how many certified tasks per dataset | what datasets can I run over | show the datasets | list the datasets with the number of their tasks",
  datasets_publish:
    "how do I publish datasets to langfuse | send the datasets to our tracing tool | push tasks to langsmith as a dataset | how can our tasks become a dataset in langfuse | we want our tests in langsmith, how do I get them there | push the tasks to braintrust as a dataset",
  deliver_chat:
    "how do I post a result to slack | send the finding to chat | share the comparison in slack | how do I post results to slack | how do I put the verdict into our slack channel | I want to send the last comparison to the team chat right now, how do I do that | post the newest finding in teams | share a result in our chat",
  comment_on_pr:
    "how do I comment on a pull request | post the result on the pr | put the verdict on github | show results in the merge request | how do I see the result on a merge request | how can the outcome be written under the pull request | I want the reviewers to see the verdict in the pull request, what do I do | write the comparison as a comment on the branch | add a comment with the result to the merge request",
  deliver_obs:
    "how do I write a finding to datadog | send the result to the observability vendor | push a notebook to the vendor | how do I get a finding into our datadog | write the verdict as a notebook into datadog",
  run_reexport:
    "how do I export a run | make the run's bundle again | get a run as a file | how can I save a run to disk | I want to hand the whole run to a colleague as a file, how do I get it | download the bundle of a run | export the trials of the last run | get the results as json | how do I download the results of a run | export the run to csv",
  org_export:
    "how do I export everything | download all tasks and worlds | get our data as csv | can I take the tasks along | export as a zip | use our tasks for training | how do I get our data out | download everything | export the tasks | take our data out | how do I leave with everything | how can I take our data with me | download the results | how do I get the results as a spreadsheet | give me everything as a file | how do I get the raw data out | results of the last run as a file for excel | how do I take all our data with me if we cancel | export the results to a spreadsheet | get the data out as a file | how do I get all our tasks out as files | we want to leave with our data, how do we export it | export the tasks and runs | how can I get my data out",
  export_obs:
    "export tasks for datadog | get datasets the observability vendor can import | how do I get our tasks into datadog",
  export_obs_experiment:
    "export a run group for datadog | results as experiments of the observability vendor | how do I see a run as an experiment in datadog",
  export_obs_judges:
    "export judge definitions | get judges that mirror our checks | how do I get our checks as judges into datadog",
  org_archive:
    "how do I back up the org | make a backup | download an archive of everything | move to another server | how do I back everything up | make a full backup of the workspace | keep a copy of everything in case the server dies | how can I keep a copy of all our data | I want a full backup before the upgrade, how do I make it | save the whole workspace to a file | how do we take a backup every now and then | download everything as an archive",
  mirror_post:
    "how do I mirror the org | copy everything to another workspace | sync to a second installation | how do I copy the workspace to another server | we move to another installation, how do I take all along | how do I move everything to a new server",
  mirror_get:
    "what would a mirror send | preview the copy to another workspace | which records would be mirrored | which records would be copied to the other workspace",
  mirror_member_get: "read one mirrored member | get the bytes of a mirrored record",
  mirror_in_get: "what does the mirrored org hold | what was received by the mirror",
  mirror_in_post: "take in a mirrored record | store one member of a mirror round",
};
