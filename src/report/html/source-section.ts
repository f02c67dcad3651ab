/**
 * Source of a report: scenario, version, seed and digest of each run, and the command that makes it again.
 */
import { shellWord } from '../../findings/index.ts'
import type { ReportedRun } from '../reported-run.ts'
import { markup, type Markup } from './markup.ts'

export function sourceSection(runs: readonly ReportedRun[]): Markup {
  const parts = runs.map(({ label, folder, result, scenarioText }, i) => {
    const { name, seed, version, digest } = result
    return markup`<div class="source" data-run="${i}">
      ${runs.length > 1 ? markup`<h3>${label}</h3>` : markup``}
      <dl class="facts">
        <div>
          <dt>scenario</dt>
          <dd>${name}</dd>
        </div>
        <div>
          <dt>seed</dt>
          <dd>${seed}</dd>
        </div>
        <div>
          <dt>rocelab</dt>
          <dd>${version}</dd>
        </div>
        <div>
          <dt>digest</dt>
          <dd><code>${digest}</code></dd>
        </div>
        <div>
          <dt>folder</dt>
          <dd><code>${folder}</code></dd>
        </div>
      </dl>
      <p>
        This makes the run again, with the same digest: <code>rocelab run ${shellWord(`${folder}/scenario.yaml`)}</code>
      </p>
      <details>
        <summary>Scenario as run, complete</summary>
        <pre tabindex="0">${scenarioText}</pre>
      </details>
    </div> `
  })
  return markup`${parts}`
}
