import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import packageJson from '../../../../package.json' with { type: 'json' };

const RESOLUTION_MS = 20;

/**
 * The usual metrics of a process, by their usual names. The package's own collection cannot be ended: every service
 * that a test starts would leave its observers behind.
 */
export function measureProcess(registry: Registry): { close(): void } {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  const registers = [registry];
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, of the program and of the system for it.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  new Gauge({
    name: 'docs_agent_build_info',
    help: 'Always 1; the labels say which version runs, and on which Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  gauge('process_resident_memory_bytes', 'Memory.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', 'Memory of objects.', () => process.memoryUsage().heapUsed);
  gauge('process_start_time_seconds', 'When the process started, since 1970.', () =>
    Math.round(Date.now() / 1000 - process.uptime()),
  );
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'How late timers were since the last scrape, 99th percentile.',
    () => {
      const { count } = lag;
      const lateNs = count === 0 ? 0 : lag.percentile(99) - RESOLUTION_MS * 1e6;
      lag.reset();
      return Math.max(0, lateNs / 1e9);
    },
  );
  return { close: () => lag.disable() };
}

/** In a module of its own, so that the bundle holds nothing else of package.json. */
export const { version } = packageJson;
