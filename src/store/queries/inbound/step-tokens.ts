import { Table } from '../../schema/tables.ts';

/** Secrets that Slack gives with a step of a workflow: valid for a few minutes, and neither copied nor backed up. */
export class StepTokens extends Table {
  async keep(jobId: string, token: string, untilMs: number): Promise<void> {
    await this.db.insertInto('step_token').values({ job_id: jobId, token, until: untilMs }).execute();
  }

  /** Null: there is none, or it is not valid any more. */
  async get(jobId: string, nowMs: number): Promise<string | null> {
    const row = await this.db
      .selectFrom('step_token')
      .select('token')
      .where('job_id', '=', jobId)
      .where('until', '>', nowMs)
      .executeTakeFirst();
    return row?.token ?? null;
  }

  async forget(jobId: string): Promise<void> {
    await this.db.deleteFrom('step_token').where('job_id', '=', jobId).execute();
  }
}
