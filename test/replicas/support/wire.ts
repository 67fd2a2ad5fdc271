/** A text value among a statement's parameters, as sent over the wire: after its length. */
const value = (text: string) => String.raw`\0\0\0\x${text.length.toString(16).padStart(2, '0')}${text}`;

/** What distinguishes the program's transactions, for `DatabaseProxy.hold`. */
export const transactions = {
  storesRequest: /insert into "inbound_request"/,
  storesEarlyReply: /insert into "early_reply"/,
  /** The hourly budget is counted only for these. */
  startsAgentCall: new RegExp(`budget:.*${value('started')}`, 's'),
  startsPost: new RegExp(`^(?!.*budget:).*${value('started')}`, 's'),
  settlesDone: new RegExp(`update "call" set "state".*${value('done')}`, 's'),
  changesJob: /(insert into|update) "job"/,
  claims: (kind: string) => new RegExp(`set "lease_token".*${kind}:`, 's'),
} as const;
