# German.
words spaced

let sep = (?: ?(?:[(\[{<:,;–—]|…|\.\.)| -)
let noun = (?:pfad|ordner|datei|name|wert|option|antwort|text)
let enter = (?:eingeben|angeben|beschreiben|auswählen|wählen)
let tail = (?: {enter}|{sep}.*)?

whole:
  (?:sonstige[srn]?|etwas anderes|woanders|benutzerdefiniert){tail}
  (?:eine?n? )?(?:eigene[nrs]?|andere[nrs]?|benutzerdefinierte[nrs]?|deine?|ihre?|meine?)(?: {noun})?{tail}
  keine[sr]? (?:der|davon|von diesen)(?: (?:genannten|obigen))?
  nicht (?:aufgeführt|dabei)
  (?:(?:manuell|selbst|frei|hier) )?(?:{noun} )?{enter}{tail}
  (?:freitext|freie eingabe|manuelle eingabe){tail}
  (?:option|antwort)[ ]?(?:[0-9]{1,2}|[a-z])
  (?:noch offen|platzhalter)

prefix:
  bitte
  ich (?:gebe|nenne|tippe|schreibe|sage) (?:ihn|es|sie|den|das|dir)
  lass mich
