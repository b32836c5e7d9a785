"""Subjects after their verbs, and times that are neither subjects nor objects, in sentences that the shipped pipeline parses."""

import pytest
from written_docs import parse

from spacy_ucca.extract import predications

# text | verb | subject
QUOTES = """
    "I am tired," sighed Meg. | sighed | Meg
    "We should go now," said John. | said | John
    "Where are you going?" asked the old man. | asked | man
    "Stop!" cried the girl. | cried | girl
    "It's over," whispered Anna, closing the door. | whispered | Anna
    "No," replied he. | replied | he
    "I never saw it," muttered the boy. | muttered | boy
    "Come here," shouted Captain Flint. | shouted | Flint
    “Look at that,” exclaimed Mrs. Brown. | exclaimed | Brown
    “You are late,” growled the guard. | growled | guard
    “I will,” answered Tom quietly. | answered | Tom
    “The king,” said the old woman, “is dead.” | said | woman
    "The door," whispered Peter, "is locked." | whispered | Peter
    "Nobody," laughed the captain, "would believe you." | laughed | captain
    'It is cold,' complained Sarah. | complained | Sarah
    'Who is there?' demanded the soldier. | demanded | soldier
    "My dear," began the lawyer, "I have bad news." | began | lawyer
    "That is absurd," snapped Holmes. | snapped | Holmes
    "Perhaps," murmured Alice. | murmured | Alice
    "I found it!" yelled one of the children. | yelled | one
    "Good morning," smiled the nurse. | smiled | nurse
    "Prices will rise," predicted the minister. | predicted | minister
    "We have no plan," admitted Mr. Jones. | admitted | Jones
    "It was wonderful!" gushed Mary. | gushed | Mary
    "Do you know him?" inquired the doctor. | inquired | doctor
    "He left at noon," added the witness. | added | witness
    "Help!" screamed Rosa. | screamed | Rosa
    “It is a lovely day,” remarked my uncle. | remarked | uncle
    "You cheated," hissed his brother. | hissed | brother
    "That's enough," declared the teacher, putting down her book. | declared | teacher
    "I don't want to," sobbed Lucy. | sobbed | Lucy
    "Keep quiet," ordered the sergeant. | ordered | sergeant
    "What is it?" gasped Ned. | gasped | Ned
    "She has gone," reported the messenger. | reported | messenger
    “Never again,” vowed the young prince. | vowed | prince
    “I can explain,” pleaded Martin. | pleaded | Martin
    “This,” explained the guide, “was the kitchen.” | explained | guide
    "It hurts," moaned the patient. | moaned | patient
    "Sure," agreed Bob. | agreed | Bob
    "You will see," promised Emma with a smile. | promised | Emma
    'I told you so,' chuckled Grandpa. | chuckled | Grandpa
    'Let me in!' begged the stranger. | begged | stranger
    "My name," replied the visitor, "is of no importance." | replied | visitor
    "I think so," said she. | said | she
    "Run!" roared the giant. | roared | giant
    "Business is good," insisted the owner of the shop. | insisted | owner
    "Is anybody home?" called a voice from the hall. | called | voice
    "And then?" prompted Helen. | prompted | Helen
    "It may rain," warned the farmer. | warned | farmer
    "There is nothing left," mumbled Uncle Joe. | mumbled | Joe
    "I am Sir Henry," announced the tall gentleman. | announced | gentleman
    "That," noted the judge, "is not the question." | noted | judge
    "Oh dear," groaned both of them. | groaned | both
    "We did our best," concluded President Obama. | concluded | Obama
    “Thank you,” breathed Clara. | breathed | Clara
    "Why not?" wondered Jim. | wondered | Jim
    "Nonsense," scoffed her father. | scoffed | father
    "The dogs are loose!" shrieked Miss Marple. | shrieked | Marple
    "I forgot my keys," confessed the driver to the policeman. | confessed | driver
    "Go home," said the policeman to the boys. | said | policeman
"""
PLACES = """
    On the hill stood a castle. | stood | castle
    Here comes the bus. | comes | bus
    Into the room walked a man. | walked | man
    Among them was a boy. | was | boy
    In the corner sat an old woman. | sat | woman
    There goes our train. | goes | train
    Down the street came a parade. | came | parade
    Behind the house lies a garden. | lies | garden
    From the tree fell an apple. | fell | apple
    Next to him stood his wife. | stood | wife
    Up went the balloon. | went | balloon
    Then came the war. | came | war
    On the table lay a letter from his mother. | lay | letter
    Across the river lived a fisherman. | lived | fisherman
    Under the bed hid a cat. | hid | cat
    Out of the fog appeared a ship. | appeared | ship
    In front of the church stands a statue. | stands | statue
    Away ran the thief. | ran | thief
    Over the door hung a sign. | hung | sign
    Around the lake grow tall trees. | grow | trees
    Next came the soldiers. | came | soldiers
    In the box were three coins. | were | coins
    Through the window flew a bird. | flew | bird
    Between the houses runs a narrow road. | runs | road
    At the end of the hall sat the king. | sat | king
    Here lies John Brown. | lies | John
    Beneath the surface lurks a danger. | lurks | danger
    Off drove the taxi. | drove | taxi
"""
# text | verb | subject or - | object or -, * for any
ORDERS = """
    It will rain, said the man. | said | man | *
    Who are you? asked the old woman. | asked | woman | *
    That, said Meg, is wrong. | said | Meg | *
    The war, wrote Churchill, was lost. | wrote | Churchill | *
    Abbas, a refugee, asked the minister. | asked | Abbas | minister
    John, a farmer, said the same. | said | John | same
    He sat down, said goodbye, and left. | said | He | goodbye
    He closed the door, asked the man for money and left. | asked | He | man
    My brother, who is ill, wrote a letter. | wrote | brother | letter
    "I am tired", sighed Meg. | sighed | Meg | *
    He said, "take the bus". | take | - | bus
    He shouted "go!" and closed the door. | closed | He | door
    "Star Wars" beat "Titanic". | beat | Wars | Titanic
    After dinner, she said, call the doctor. | call | - | doctor
    Yesterday, in the rain, asked a man for help. | asked | - | man
    "Yes," says a man. "Take the bus." | Take | - | bus
    " I am tired , " sighed Meg . | sighed | Meg | *
    He said , " Take the bus . " | Take | - | bus
    "Where is she?" asked Tom, looking at the door. | looking | Tom | *
    "Go," said Tom and took the bag. | took | Tom | bag
    "I know," he said, raising his hand. | raising | he | hand
    On the hill stands a castle and a church. | stands | castle | *
    Thus spoke the king. | spoke | king | *
    So said the king. | said | king | *
    She said that on the hill stood a castle. | stood | castle | *
    Said he'd come. | Said | - | -
    What did Meg say? | say | Meg | What
    Did you see Meg? | see | you | Meg
    Take the bus. | Take | - | bus
    In the evening, call your mother. | call | - | mother
    On the hill, build a castle. | build | - | castle
    Please, ask Meg. | ask | - | Meg
    "Ask Meg," he said. | Ask | - | Meg
    "I am tired," she said, kissing Meg. | kissing | she | Meg
    Met John yesterday. | Met | - | John
    Saw a castle on the hill. | Saw | - | castle
    Here, take the money. | take | - | money
    In the kitchen, she found a cat. | found | she | cat
    After dinner, wash the dishes. | wash | - | dishes
    Among them they chose a leader. | chose | they | leader
    He came in and closed the door. | closed | He | door
    "Go," he said and closed the door. | closed | he | door
    "Thank you," she said, "for helping Meg." | helping | - | Meg
    If in doubt, ask the doctor. | ask | - | doctor
    Then add the sugar. | add | - | sugar
    Next, open the box. | open | - | box
    "Come," he cried, "bring the dog." | bring | - | dog
    To open the box, use a knife. | use | - | knife
    Who saw Meg? | saw | Who | Meg
    Will John win the race? | win | John | race
    Into the bowl put two eggs. | put | - | eggs
    Love this place! | Love | - | place
    Said no to the offer. | Said | - | -
    He knelt down, said a prayer, and left. | said | He | prayer
    In the morning he drove the car. | drove | he | car
    Then John walked the dog. | walked | John | dog
    Then he dropped the box. | dropped | he | box
"""
# text | verb | subject or - | object or -
TIMES = """
    The report was finished by Monday. | finished | - | report
    The rent shall be paid by the end of the month by the tenant. | paid | tenant | rent
    The rent is paid by the tenant by the end of the month. | paid | tenant | rent
    It was built by 1990. | built | - | It
    It must be done by next week. | done | - | It
    The work was done by the time we arrived. | done | - | work
    The work was done by the time we arrived. | arrived | we | -
    The house was sold by noon. | sold | - | house
    The house was sold by then. | sold | - | house
    It is finished by now. | finished | - | It
    It should be returned by the 5th of May. | returned | - | It
    It was completed by 5 pm. | completed | - | It
    The dinner was served by 8 o'clock. | served | - | dinner
    The dinner was prepared by Monday evening by her. | prepared | her | dinner
    The bridge was built by 1990 by the French. | built | French | bridge
    The letter was delivered by Friday by the courier. | delivered | courier | letter
    It was decided by the end of last year. | decided | - | It
    They were brought by car. | brought | - | They
    He was hit by a car. | hit | car | He
    It was made by hand. | made | - | It
    It was deleted by mistake. | deleted | - | It
    He was killed by accident. | killed | - | He
    The tax was raised by 5 percent. | raised | - | tax
    The prize was won by working hard. | won | - | prize
    The town was destroyed by fire. | destroyed | fire | town
    The town was destroyed by the storm of Monday. | destroyed | storm | town
    It was written by one of the students. | written | one | It
    The house was designed by 2020 Architects. | designed | Architects | house
    He waited an hour. | waited | He | -
    She slept the whole day. | slept | She | -
    He spent two hours there. | spent | He | hours
    The day we met was cold. | met | we | -
    The time they wasted was short. | wasted | they | time
    He said Friday that he would come. | said | He | -
"""


def rows_of(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


def heads(nlp, text: str, verb: str) -> list[str]:
    """RETURNS (List[str]): The heads of subject and object of the first row with a verb; "-" for none; nothing if no row has it."""
    for p in predications(parse(nlp, text)):
        if p.head and verb in (p.head.text, *(token.text for token in p.relation)):
            return [a.head.text if a and a.head else "-" for a in (p.subject, p.object)]
    return []


@pytest.mark.parametrize("table, at_least", [(QUOTES, 58), (PLACES, 24), (ORDERS, 51)])
def test_subjects_after_their_verbs(nlp, table, at_least):
    """Of 60 quotes, 6 were right when the tree alone decided; the issue asks for 80 % of them."""
    wrong = []
    for text, verb, *wanted in rows_of(table):
        found = heads(nlp, text, verb)
        if not found or any(w not in ("*", f) for w, f in zip(wanted, found)):
            wrong.append((text, found))
    assert len(rows_of(table)) - len(wrong) >= at_least, wrong


@pytest.mark.parametrize("text, verb, subject, object", rows_of(TIMES))
def test_a_time_is_no_agent_and_no_object(nlp, text, verb, subject, object):
    assert heads(nlp, text, verb) == [subject, object]


def test_agent_and_time_of_one_passive(nlp):
    (row,) = predications(
        nlp("The rent shall be paid by the end of the month by the tenant."), clauses=True
    )
    assert row.subject.text == "the tenant" and [t.text for t in row.times] == [
        "by the end of the month"
    ]
