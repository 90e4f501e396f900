#!/usr/bin/perl
# Plays all games by docs/stdio.md: low bets, true to the rules and not to its dice.
use strict; use warnings; use JSON::PP; $| = 1;
my ($no, $yes) = (JSON::PP::false, JSON::PP::true);
sub bluff { my $v = shift;
    my ($face) = grep { $v->{lowest}[$_] <= $v->{highest} } 0 .. 5;
    return { type => 'doubt' } if !defined $face || @{$v->{bets}} > 2;
    return { type => 'bet', quantity => $v->{lowest}[$face], face => $face < 5 ? $face + 1 : '*' } }
sub bluff_you { my $v = shift; my ($phase, $me, $chips) = @$v{qw(phase seat chips)};
    return { type => 'answer', believe => $yes } if $phase eq 'answer';
    return { type => 'give', number => $chips->[$me][0] } if $phase eq 'give';
    return { type => 'take', number => $v->{announced}{number} } if $phase eq 'take';
    return { type => 'stop' } if $phase eq 'swap_again';
    return { type => 'win', seer => ($me + 1) % @$chips, number => $v->{win_numbers}[0] } if @{$v->{win_numbers}};
    my ($rich) = grep { $_ != $me && @{$chips->[$_]} } 0 .. $#$chips;
    return { type => 'steal', seer => $rich, number => $chips->[$rich][0] } }
sub bloeff { my $v = shift; my ($card, $me) = ($v->{hand}[0], $v->{seat});
    return { type => 'ballot', doubt => $no } if $v->{balloted};
    return { type => 'action', card => $card, call => $yes } if $card eq 'reverse';
    return { type => 'red', card => $card, target => ($me + 1) % @{$v->{hand_sizes}}, call => $yes } if $card =~ /[a-z]/;
    return { type => 'number', value => $card + 0, announce => $v->{lowest}, call => $yes } }
sub skull { my $v = shift; my ($phase, $me, $hand) = @$v{qw(phase seat hand)};
    my $disc = $hand->{flowers} ? 'flower' : 'skull';
    return { type => 'lose', disc => $disc } if $phase eq 'lose';
    return { type => 'pass' } if $phase eq 'raise';
    return { type => 'place', disc => $disc } if $phase ne 'challenge' && $hand->{flowers} + $hand->{skulls};
    return { type => 'bid', count => 1 } if $phase eq 'turn';
    my ($other) = grep { $v->{mats}[$_] > @{$v->{turned}[$_]} } 0 .. $#{$v->{mats}};
    return { type => 'turn_over', seat => $other } }
my %answer = (bluff => \&bluff, bluff_you => \&bluff_you, bloeff => \&bloeff, skull => \&skull);
while (my $line = <STDIN>) {
    my $m = decode_json($line);
    next if $m->{type} ne 'turn';
    print encode_json({ match => $m->{match}, turn => $m->{turn}, action => $answer{$m->{game}}->($m->{view}) }), "\n";
}
