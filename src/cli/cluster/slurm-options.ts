/**
 * Options of sbatch that a user adds to a submission: those that would change what the program itself relies on are mistakes.
 */

/** Why an option is not the user's to give. By long and short name. */
const TAKEN: readonly (readonly [long: string, short: string, reason: string])[] = [
  ['array', 'a', 'the array is made by rocelab'],
  ['job-name', 'J', 'the name is given by rocelab, which finds its job by it'],
  ['output', 'o', 'the output goes to files that rocelab reads'],
  ['chdir', 'D', 'the folder is set by rocelab'],
  ['open-mode', '', 'a requeued task adds to its output'],
  ['requeue', '', 'tasks are always requeued when their node dies'],
  ['no-requeue', '', 'tasks are always requeued when their node dies'],
  ['parsable', '', 'it is always given'],
  ['wrap', '', 'the script is made by rocelab'],
  ['wait', 'W', 'the submission would not return before the last task has ended'],
  ['test-only', '', 'nothing would be submitted'],
  ['clusters', 'M', 'set SLURM_CLUSTERS, so that all commands use the same cluster'],
  ['help', 'h', 'nothing would be submitted'],
  ['usage', '', 'nothing would be submitted'],
  ['version', 'V', 'nothing would be submitted'],
]

/**
 * Mistakes in options of sbatch, a sentence each. A word that is neither an option nor the value of the option before it would
 * be taken for the script.
 */
export function optionMistakes(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    const before = words[i - 1]
    if (!word.startsWith('-') || word === '-') {
      const isValue = word !== ':' && before !== undefined && before.startsWith('-') && !before.includes('=')
      return isValue ? [] : [`"${word}" is neither an option of sbatch nor the value of one`]
    }
    if (word === '--') return ['"--" ends the options of sbatch; leave it out']
    const taken = TAKEN.find(([long, short]) => isOption(word, long, short))
    return taken === undefined ? [] : [`${word}: not possible here, as ${taken[2]}`]
  })
}

function isOption(word: string, long: string, short: string): boolean {
  if (!word.startsWith('--')) return short !== '' && word[1] === short
  // sbatch takes abbreviations; those that may mean another option too it refuses itself.
  return long.startsWith(word.slice(2).split('=')[0] ?? '')
}
