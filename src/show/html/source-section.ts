/**
 * Source of a report: scenario, version, seed and digest of each run, and the command that makes it again.
 */
import { shellWord } from '../../core/findings/index.ts'
import type { ReportedRun } from '../reported-run.ts'
import { markup, type Markup } from './markup.ts'
import { factsMarkup } from './parts/facts.ts'

export function sourceSection(runs: readonly ReportedRun[]): Markup {
  const parts = runs.map(({ label, folder, result, scenarioText }, i) => {
    const { name, seed, version, digest } = result
    return markup`<div class="source" data-run="${i}">
      ${runs.length > 1 ? markup`<h3>${label}</h3>` : markup``}
      ${factsMarkup([
        ['scenario', name],
        ['seed', String(seed)],
        ['rocelab', version],
        ['digest', markup`<code>${digest}</code>`],
        ['folder', markup`<code>${folder}</code>`],
      ])}
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
