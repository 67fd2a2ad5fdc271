import { Table } from '#store/queries/table.ts';

/** Secrets: valid for minutes, never copied or backed up. */
export class StepTokens extends Table {
  async keep(jobId: string, token: string, untilMs: number): Promise<void> {
    await this.db.insertInto('stepToken').values({ jobId, token, until: untilMs }).execute();
  }

  async get(jobId: string, nowMs: number): Promise<string | null> {
    const row = await this.row('stepToken', { jobId });
    return row !== undefined && row.until > nowMs ? row.token : null;
  }

  async forget(jobId: string): Promise<void> {
    await this.delete('stepToken', { jobId });
  }
}
