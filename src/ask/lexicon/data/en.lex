# English.
words spaced

let sep = (?: ?(?:[(\[{<（［【「:：,，;；–—~]|…|\.\.)| -)
let poss = (?:your|my)
let det = (?:an?|the|{poss}|{poss} own|(?:an? )?(?:custom|different|other|new|specific)|another|file|folder|project)
# What a form asks for, in words so general that no real answer is called so, not even behind "other" or "custom".
let noun = (?:paths?|folder|directory|location|files?|file ?name|names?|values?|options?|answers?|response|input|text|url|link|numbers?|date|range|prompt|message|description|details|instructions|reason|choice|one|it)
let where = (?:below|here|manually|yourself|myself|instead|(?:in|via) .*)
let tail = (?: {where}|{sep}.*)?
let object = (?:{det} )?{noun}{tail}
let enter = (?:enter|type|input|specify|provide|fill in|insert)
let iwill = (?:i'll|i will|i'd like to|i want to|let me|lemme)

whole:
  # Other, another, something else, none of what is offered
  (?:any |some |the )?others?{tail}
  (?:some|an)?other {object}
  (?:a )?(?:different|alternative) {object}
  (?:something|somewhere) (?:else|different){tail}
  elsewhere(?:{sep}.*)?
  none of (?:the )?(?:above|these|those|them|options){tail}
  not (?:in|on) (?:this|the) list
  (?:my answer is )?(?:not|un) ?listed(?: here| above)?
  # Custom
  custom{tail}
  (?:custom|user|{poss}|{poss} own) {object}
  # Imperatives addressed to the user
  {enter} {object}
  {enter} {poss} own{tail}
  (?:{enter}|write|paste|describe|explain|answer|reply|say|tell me)(?: it| this| in)? {where}
  (?:type|write) (?:it )?(?:in|out)
  type (?:something|anything){tail}
  specify(?: other)?
  manually {enter} {object}
  (?:write|paste) {poss} {object}
  (?:set|use|add|choose|select|pick) (?:an? |the |{poss} )?(?:custom|own|other) {object}
  (?:choose|select|pick)(?: an?| the| {poss}(?: own)?| another| one)? {noun}{tail}
  tell me(?: more| what you .*)?
  fill(?: in)? the blanks?
  manual (?:input|entry)
  # Free text
  (?:free|open) ?(?:text|form|input|ended)(?: (?:answer|input|text))?{tail}
  write in
  (?:text|user) ?input
  {poss} project name
  # The user announces that the answer will come
  {iwill} (?:provide|give|paste|write|share|choose|pick)(?: you)? {object}
  # Empty shells
  (?:option|choice|answer|item)[ #]?(?:[0-9]{1,2}|[a-z])
  (?:label|option|string|text|value|placeholder|input)
  (?:todo|tbd|to be (?:specified|determined|decided|defined))

prefix:
  please
  {iwill} (?:enter|type|input|specify|describe|explain|tell)
  i have (?:my own|another)
  i(?:'ve| have) (?:answered|typed)
  (?:yes|no)[ ,.;:—–-]{1,3}i(?:'ll| will) (?:enter|type|specify|describe|tell|provide|paste|write|give)
  (?:enter|type|input|specify|provide|write) your
