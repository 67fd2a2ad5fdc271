interface Answered {
  readonly agentJobId: string;
  readonly atMs: number;
}

/** Which jobs the agent API knew of late, as far as this process has read them. */
export class AnsweredJobs {
  /** The last two of each project. */
  private readonly byProject = new Map<string, readonly Answered[]>();

  note(projectId: string, agentJobId: string, atMs: number): void {
    const others = this.othersOf(projectId, agentJobId).slice(-1);
    this.byProject.set(projectId, [...others, { agentJobId, atMs }]);
  }

  /** When another job of the project was read last, or null. */
  othersAtMs(projectId: string, agentJobId: string): number | null {
    return this.othersOf(projectId, agentJobId).at(-1)?.atMs ?? null;
  }

  private othersOf(projectId: string, agentJobId: string): readonly Answered[] {
    return (this.byProject.get(projectId) ?? []).filter((job) => job.agentJobId !== agentJobId);
  }
}
