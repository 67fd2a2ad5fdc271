/** The addresses of one agent API. */
export interface AgentPaths {
  readonly origin: string;
  jobs(projectId: string): string;
  job(projectId: string, jobId: string): string;
}

/** `baseUrl` may have a path. Throws a TypeError if it is no URL. */
export function agentPaths(baseUrl: string): AgentPaths {
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/(?<!\/)\/+$/, '');
  const jobs = (projectId: string) => `${basePath}/v2/agent/${segment(projectId)}/job`;
  return { origin, jobs, job: (projectId, jobId) => `${jobs(projectId)}/${segment(jobId)}` };
}

function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
