"""The words that renaming leaves alone, and the ones it puts in place of others."""

from __future__ import annotations

import builtins
import keyword
import random

from liverl.policy.phrases import FAMILIES

_METHODS = """
append extend split strip lower upper title join items keys values get startswith endswith sort copy pop add self key
lambda default reverse sorted ceil floor math dataclass field namedtuple true false none def test check sh py sed bash
"""
_ENGLISH = """
a after all an and any are as at be been before behind but by can cannot come comes could did do does each either every
few first fix for from had has have he her his how if in into is it its just last less many may more most must name
never no nobody nor not nothing of off on once one only or other others out over own passes per she should so somebody
still such take takes tell than that the their them then there these they this those though to too true two under
until up us was were what when where whether which while who whole whose will with without would yet you
"""
_NOUNS = """
account acre anchor angle apple arrow atlas badge bag ball band bank barrel basin basket batch beam bell
bench bill bird blade block board bolt bone boot bottle bowl branch bread brick bridge broom brush bucket
button cable cabin cake camera candle canoe card cargo carpet cart case castle ceiling cellar chain chalk
channel chart cheese chest chimney circle cliff cloak cloth coach coast coat code colour column comet corner
cost cotton couch county couple course court cover crane cream crowd crown curve custom dance deal degree
delta depth desert dial dinner dish ditch dock dollar door draft dress drill drum dust eagle edge effort
engine entry event extent fabric factor farm fault fence fever fibre field file film finger flag flame floor
flour flower foam folder force forest fork frame friend frost fruit funnel gain game gate gear ghost gift
glass globe glove grade grain grape graph grass gravel group guest guide habit hammer handle harvest hatch
head heat height hinge hole hook horn horse hose index inlet iron island ivory jacket jar jewel joint judge
juice jump kettle kick kite knife knot label lace ladder lake lamp lane layer leader leaf lease ledger lemon
lens lesson letter lever lid light limb linen link list liver lobby locker loop lorry lunch mark market mass
match meadow meal metal meter mill mirror model moment motor mount mouse mud muscle needle nest net noise
north note number nurse oak object ocean offer office onion option orange orbit order organ oven owner
packet page paint palm panel paper park part patch path paw peak pearl pencil pepper petal phase phone photo
piano pile pillow pilot pin pipe pitch place plain plan plant plate plug pocket point pole pond pool port
post potato powder print prize proof pulse pump pupil quarter queue quota rack radio rail rain ramp range
rank rate ratio record reef region rent report result ribbon rice ridge ring river road robe rock roof room
root rope route row rubber rule sail salad sample sand sauce saw scale scene school score screen screw
sector seed shadow shaft shape share sheep sheet shelf shell shirt shoe shore shoulder side sign signal silk
site size skill skin slope smoke snow soap sock soil song sort sound soup south space spark speed spice
spoon spot spring square stable staff stage stair stamp star state steam steel stem step stick stitch stone
store storm stove strand straw street string study style sugar suit sun surface swan switch table tail task
taste team tent term text thread throat ticket tide tile timber toast token tone tool tooth torch total
towel tower town toy track trade trail train tray tree trial tribe trick trip trunk tube tunnel turn twig
unit valley value van vase vein vessel view village vine violin voice voyage wagon waist walk wall wave wax
wedge week weight west wheel whistle width willow wind window wing winter wire wood wool work world wrist
yard yarn year zone
"""
_ONSETS = "b c ch d dr f fl g gr h j k l m n p pl qu r s sh sk sl sp st t th tr v w y z br cl cr gl"
_VOWELS = "a a e e i i o o u ai ea ee ie oa oo ou"
_CODAS = "b ck d g l ll m n nd ng nk nt p r rd rk rn rt s ss st t th v x ge se te ne le ry er on ing ed"


def kept_words() -> frozenset[str]:
    """Words that carry meaning for the code or the phrase book; lower case."""
    phrases = {w for family in FAMILIES for all_ in family.phrases.values() for p in all_ for w in p.split()}
    python = {word.lower() for word in (*keyword.kwlist, *dir(builtins))}
    return frozenset(phrases | python | set(_METHODS.split()) | set(_ENGLISH.split()))


def new_word(rng: random.Random) -> str:
    """A noun, or a word that nobody has seen, so that copying is learned rather than the words."""
    if rng.random() < 0.6:
        return rng.choice(_NOUN_LIST)
    return "".join(
        rng.choice(_ONSETS.split())
        + rng.choice(_VOWELS.split())
        + (rng.choice(_CODAS.split()) if last or rng.random() < 0.3 else "")
        for last in ((True,) if rng.random() < 0.4 else (False, True))
    )


_NOUN_LIST = tuple(_NOUNS.split())
