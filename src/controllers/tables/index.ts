/** The tables between planning and the members. Promises: one writer for each table; an unchanged row wakes nobody. */
export { type AssignmentChange, Assignments, type Cell, type DependentsOfOthers } from "./assignments.ts";
export { DampedContact, type Damping } from "./dampedContact.ts";
export { Counts, Groups } from "./groups.ts";
export { type ObservationChange, Observations } from "./observations.ts";
export { logFieldsOf, refOfKey, spanAttributes } from "./ownerKeys.ts";
export { ReportReceiver } from "./reportReceiver.ts";
export { WorkStreams } from "./workStreams.ts";
export { ReportedContacts } from "./reportedContacts.ts";
