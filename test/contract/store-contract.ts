import { describe } from 'vitest';
import { auditContract } from './store/audit.ts';
import { budgetQueueContract } from './store/budget-queue.ts';
import { callContract } from './store/calls.ts';
import { catchUpContract } from './store/catch-ups.ts';
import { settingsContract } from './store/channel-settings.ts';
import { checkContract } from './store/checks.ts';
import { drawnTaskContract } from './store/drawn-tasks.ts';
import { earlyReplyContract } from './store/early-replies.ts';
import { homeContract } from './store/homes.ts';
import { hookAnswerContract } from './store/hook-answers.ts';
import { inboundRequestContract } from './store/inbound-requests.ts';
import { installationContract } from './store/installations.ts';
import { jobContract } from './store/jobs.ts';
import { listContract } from './store/lists.ts';
import type { OpenStore } from './store/opened.ts';
import { pullRequestContract } from './store/pull-requests.ts';
import { receiptContract } from './store/receipts.ts';
import { recipeContract } from './store/recipes.ts';
import { reportContract } from './store/reports.ts';
import { retentionContract } from './store/retention.ts';
import { stateReactionContract } from './store/state-reactions.ts';
import { statsContract } from './store/stats.ts';
import { taskGroupContract } from './store/task-groups.ts';
import { taskModelContract } from './store/task-model.ts';
import { taskContract } from './store/tasks.ts';
import { transactionContract } from './store/transactions.ts';

/** What every store must do, whatever database it keeps its rows in. `open` opens an empty one. */
export function storeContract(name: string, open: OpenStore): void {
  describe(name, () => {
    transactionContract(open);
    earlyReplyContract(open);
    inboundRequestContract(open);
    jobContract(open);
    listContract(open);
    homeContract(open);
    settingsContract(open);
    installationContract(open);
    receiptContract(open);
    stateReactionContract(open);
    callContract(open);
    budgetQueueContract(open);
    catchUpContract(open);
    pullRequestContract(open);
    recipeContract(open);
    hookAnswerContract(open);
    statsContract(open);
    reportContract(open);
    auditContract(open);
    retentionContract(open);
    taskContract(open);
    taskGroupContract(open);
    drawnTaskContract(open);
    taskModelContract(open);
    checkContract(open);
  });
}
