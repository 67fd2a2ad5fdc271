import type { CallKind, CallRequest } from '../../../jobs/call.ts';
import { fromJson, type Queries } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';

/** A call that has posted a message. */
export interface PostedCall<Kind extends CallKind = CallKind> {
  readonly id: string;
  readonly lane: string;
  readonly request: Extract<CallRequest, { kind: Kind }>;
  /** Slack's timestamp of the message. */
  readonly ts: string;
}

const postedOfJob = prepared((db, { jobId, kind }: Values<{ jobId: string; kind: CallKind }>) =>
  db
    .selectFrom('call')
    .select(['id', 'lane', 'request', 'detail'])
    .where('job_id', '=', jobId)
    .where('kind', '=', kind)
    .where('state', '=', 'done')
    .orderBy('seq'),
);

/** The messages of a job that calls of this kind have posted, oldest first. */
export async function postedCalls<Kind extends CallKind>(
  db: Queries,
  jobId: string,
  kind: Kind,
): Promise<PostedCall<Kind>[]> {
  const rows = await postedOfJob.rows(db, { jobId, kind });
  return rows.flatMap(({ request, detail, ...call }) => {
    const made = fromJson(request);
    return isOfKind(made, kind) && detail !== null ? [{ ...call, request: made, ts: detail }] : [];
  });
}

function isOfKind<Kind extends CallKind>(
  request: CallRequest,
  kind: Kind,
): request is Extract<CallRequest, { kind: Kind }> {
  return request.kind === kind;
}
