const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that begin sentences or stand capitalised without naming anybody. */
export const COMMON = list(`
a able about above account action actually add additional address after again agent all already also although always am
american an and another any anyone anything apologies apr april are around arrange as ask assist assistance assistant at
august available avenue away back bag baggage bank basic booking bookings be because been before being begin best better both bottle business but
buy by calendar call can cancel cancelled card cart certainly certificate change check city class click close color come
company complete completed confirm confirmation confirmed contact continue correct could country coupon court create credit
currency current customer customers dark data date day days dear debit dec december delete delivered delivery department
details did different do does done dollar dollars double dr drive each east economy either email end english enjoy enter
error estimated etc every everything exactly example exchange excuse express failed feb february few final find fine first
flight flights following for found free friday from full general get gift give given go good got great ground guest had
hardware has have having he hello help helpful her here hey hi him his hold home hope hotel hour hours house human how however
i id if immediately important in inc information insurance international into invalid invoice is issue it item items its
itself jan january jul july jun june just keep key know kind lane large last later least left let letter lets like line list
little located location long look looking ltd main make many mar march may maybe me medium member message method might
minute minutes miss monday money month more morning most mr mrs ms much must my name need needs never new next no none north
not note nothing nov november now number oct october of off ok okay old on original once one only open option options or order ordered orders other
our out over own package page paid parcel passenger passengers pay payment paypal pending people per perfect phone place
plan please point possible previous price problem proceed process processed product products profile provide purchase
quantity question quick rather read ready really reason received refund regarding regards remove reply request required
reservation reset return right road room same saturday save say see send sent sep sept september service session set she
shipped shipping should show since sir size small so some something soon sorry south standard start state status still stop
store street subject subscription sunday support sure system take team tell thank thanks that the their them then there
these they thing this those though three thursday ticket time to today together tomorrow tonight too total track transfer transferred transferring
travel trip try tuesday two type under understand unfortunately united until up update upgrade urgent us use used user using
valid variant very via visa view wait want was way we wednesday week welcome well were west what when where whether which
while white who why will with within without wonderful would wow year years yes yesterday yet you your yours zip
`);

/** Words of ids that say what kind of thing an id is of. */
export const ID_WORDS = list(`
account acct agent booking call card cart case cert certificate charge chk client code contract credit cust customer debit
device doc document email employee entity env event file flight gift group id inv invoice issue item job key line member
message msg node number object order org page party passenger patient pay payment paypal person phone plan policy prod
product project record ref refund req request reservation res resource row run sess session ship shipment sku sub
subscription task team test ticket token tool trace transaction txn type unit user usr variant vendor world www http https
com org net mastercard visa amex
`);

/** Parts of a postal address that name no place. */
export const STREET_WORDS = list(`
street st avenue ave road rd boulevard blvd lane ln drive dr court ct place pl square sq terrace way highway hwy parkway
pkwy circle cir trail alley apt apartment suite ste unit floor fl room rm building bldg po box north south east west n s e w
ne nw se sw usa us uk united states kingdom
`);

/** Given names that are told from words when they stand alone and capitalised. */
export const GIVEN_NAMES = list(`
aaron abigail adam adrian ahmed aisha alan alejandro alex alexander alexandra alexis alice alicia alison amanda amber amelia
amir amy ana andrea andrew angela ana anita ann anna anne anthony antonio aria ariana arjun arthur ashley aurora ava barbara
beatrice benjamin bernard beth brandon brenda brian bruce bryan caleb cameron carl carla carlos carmen carol caroline
catherine charles charlotte chen chloe christian christina christine christopher claire clara claudia connor craig cynthia
daiki daniel daniela david deborah denise dennis derek diana diego dmitri donald donna dorothy douglas dylan edward elena
eleanor eli elizabeth ella ellen emily emma eric erica erik ethan eva evan evelyn fatima felix fernando fiona florence
frances francisco gabriel gabriela george gerald gloria gregory hannah harold harper harry hassan heather helen henry hiroshi
hugo ian ibrahim ingrid irene isaac isabel isabella isaiah ivan ivy jack jacob jacqueline james jamie jane janet jasmine
jason javier jean jeffrey jennifer jeremy jerry jesse jessica jill joan joanna joe joel john jonathan jordan jorge jose
joseph joshua juan juanita judith judy julia julian julie justin karen karl kate katherine kathleen kayla keith kelly kenneth
kevin kim kimberly kyle laura lauren leah lena leo leon leonard leslie liam lily linda lisa logan louis louise lucas lucia
lucy luis luke luna madison marcus margaret maria mariam marie marilyn mario marta martha martin mary mason matthew maya
megan mei melanie melissa mia michael michelle miguel mohamed mohammed monica muhammad nadia nancy naomi natalia natalie
nathan nicholas nicole nina noah nora oliver olivia omar oscar pablo pamela patricia patrick paul paula pedro peter philip
priya rachel rahul raj ralph ramon raymond rebecca ricardo richard robert roberto roger ronald rosa roy russell ruth ryan
samantha samuel sandra sara sarah scott sean sergio sharon shirley simon sofia sonia sophia sophie stella stephanie stephen
steven susan tanya teresa theodore theresa thomas timothy tyler valentina valeria vanessa veronica victor victoria vincent
virginia walter wei william xavier yara yuki yusuf zachary zoe
`);
